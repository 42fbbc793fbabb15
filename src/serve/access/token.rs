//! Secrets: made by the system's generator, given to one person once, and kept as hashes.

use super::role::Role;
use crate::store::{Journal, NewToken, StoreError, StoredToken};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};

/// Bytes of randomness in a token.
const BYTES: usize = 32;

/// How tokens begin, so that scanners for secrets know one.
const PREFIX: &str = "loopctl_";

/// Longest that is looked at; ours are shorter.
const LONGEST: usize = 128;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Held by a person or a program.
    Token,
    /// Printed when the service starts, and good until it ends.
    Launch,
    /// Held by a browser, as a cookie.
    Session,
}

impl TokenKind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            TokenKind::Token => "token",
            TokenKind::Launch => "launch",
            TokenKind::Session => "session",
        }
    }
}

/// A token to be given to somebody.
#[derive(Debug, Clone)]
pub(crate) struct NewAccess<'a> {
    /// Whose it is; decisions and the access log have this name.
    pub(crate) name: &'a str,
    /// What it allows.
    pub(crate) role: Role,
    /// For how long it holds; `None` for ever.
    pub(crate) lasts: Option<SignedDuration>,
    /// Whether it is printed when the service starts.
    pub(crate) is_launch: bool,
}

/// Makes a token and keeps its hash. The token itself is nowhere but in what is returned.
///
/// # Errors
/// When the journal can't be written, or the system gives no random bytes.
pub(crate) fn issue_token(journal: &Journal, access: &NewAccess<'_>) -> Result<String, StoreError> {
    let kind = if access.is_launch { TokenKind::Launch } else { TokenKind::Token };
    issue(journal, kind, access)
}

pub(super) fn issue(
    journal: &Journal,
    kind: TokenKind,
    access: &NewAccess<'_>,
) -> Result<String, StoreError> {
    let mut random = [0_u8; BYTES];
    getrandom::fill(&mut random).map_err(|_| StoreError::ShuttingDown)?;
    let token = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random));
    let now = Timestamp::now();
    let expires = access.lasts.and_then(|lasts| now.checked_add(lasts).ok());
    journal.add_token(&NewToken {
        hash: hash_of(&token),
        kind: kind.as_str().to_owned(),
        name: access.name.to_owned(),
        role: access.role.as_str().to_owned(),
        created_at: now.to_string(),
        expires_at: expires.map(|at| at.to_string()),
    })?;
    Ok(token)
}

/// What is kept of a token. It is long and random, so that one round without a salt is enough.
pub(super) fn hash_of(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// Who holds this token, if it holds. It is looked up by its hash, so that the time that takes says nothing about it.
///
/// # Errors
/// When the journal can't be read.
pub(super) fn holder(journal: &Journal, token: &str) -> Result<Option<(StoredToken, Role)>, StoreError> {
    if !token.starts_with(PREFIX) || token.len() > LONGEST {
        return Ok(None);
    }
    let Some(found) = journal.token(&hash_of(token))? else { return Ok(None) };
    let now = Timestamp::now();
    let holds = found.revoked_at.is_none()
        && found.expires_at.as_ref().is_none_or(|at| at.parse().is_ok_and(|at: Timestamp| at > now));
    Ok(found.role.parse().ok().filter(|_| holds).map(|role| (found, role)))
}
