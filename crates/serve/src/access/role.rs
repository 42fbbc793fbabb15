//! Roles: what the holder of a token may do.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The role of a token: what its holder may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccessRole {
    /// Submit documents, and see what becomes of these.
    Submit,
    /// See every document and decide about it; also submit.
    Review,
    /// Have the last word where reviewers differ; also review.
    Adjudicate,
    /// Everything: also change settings, and see who did what.
    Admin,
}

impl AccessRole {
    /// Every role, the least first.
    pub const ALL: [AccessRole; 4] =
        [AccessRole::Submit, AccessRole::Review, AccessRole::Adjudicate, AccessRole::Admin];

    /// Its name, for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            AccessRole::Submit => "submit",
            AccessRole::Review => "review",
            AccessRole::Adjudicate => "adjudicate",
            AccessRole::Admin => "admin",
        }
    }

    /// Returns whether this role may do what needs `needed`.
    pub(super) fn allows(self, needed: AccessRole) -> bool {
        self as u8 >= needed as u8
    }
}

impl fmt::Display for AccessRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for AccessRole {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let role = AccessRole::ALL.into_iter().find(|role| role.as_str() == text);
        role.ok_or_else(|| "expected `submit`, `review`, `adjudicate` or `admin`".to_owned())
    }
}
