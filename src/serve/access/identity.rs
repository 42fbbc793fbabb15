//! Who makes a request, and what a handler asks of whoever that is.

use super::role::Role;
use crate::serve::api::ApiError;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

/// Who makes a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The name of the token, which decisions have, too.
    pub(crate) name: String,
    /// What it allows.
    pub(crate) role: Role,
}

impl Identity {
    /// Whether it may do what needs a role.
    pub(crate) fn may(&self, needed: Role) -> bool {
        self.role.allows(needed)
    }

    fn of(parts: &Parts, needed: Role) -> Result<Self, ApiError> {
        let identity = parts.extensions.get::<Identity>().cloned().ok_or_else(ApiError::no_token)?;
        if identity.may(needed) { Ok(identity) } else { Err(ApiError::not_allowed(&identity, needed)) }
    }
}

macro_rules! at_least {
    ($($(#[$doc:meta])* $name:ident needs $role:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub(crate) struct $name(pub(crate) Identity);

        impl<S: Send + Sync> FromRequestParts<S> for $name {
            type Rejection = ApiError;

            async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
                Identity::of(parts, $role).map($name)
            }
        }
    )*};
}

at_least! {
    /// Whoever has a token.
    Anyone needs Role::Submit;
    /// Somebody who may submit documents.
    Submitter needs Role::Submit;
    /// Somebody who may see every document and decide about it.
    Reviewer needs Role::Review;
    /// Somebody who may do everything.
    Admin needs Role::Admin;
}
