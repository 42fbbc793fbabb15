//! The identity behind a request, and the roles that handlers require.

use super::role::AccessRole;
use crate::api::ApiError;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

/// The identity behind a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The name of the token, which decisions carry, too.
    pub name: String,
    /// Its role.
    pub role: AccessRole,
}

impl Identity {
    /// Returns whether it may do what needs a role.
    pub(crate) fn may(&self, needed: AccessRole) -> bool {
        self.role.allows(needed)
    }

    /// Of the holder of a token who has at least a role.
    fn of(parts: &Parts, needed: AccessRole) -> Result<Self, ApiError> {
        let identity = parts.extensions.get::<Identity>().cloned().ok_or_else(ApiError::no_token)?;
        if identity.may(needed) { Ok(identity) } else { Err(ApiError::not_allowed(&identity, needed)) }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Identity {
    type Rejection = ApiError;

    /// Any holder of a token.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Identity::of(parts, AccessRole::Submit)
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
    /// A holder who may submit documents.
    Submitter needs AccessRole::Submit;
    /// A holder who may see every document and decide about it.
    Reviewer needs AccessRole::Review;
    /// A holder who may do everything.
    Admin needs AccessRole::Admin;
}
