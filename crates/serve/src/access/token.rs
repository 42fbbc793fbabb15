//! Secrets: made by the system's generator, given to one person once, and kept as hashes.

use super::role::AccessRole;
use crate::store::{Journal, NewToken, StoreError, StoredToken};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};

/// Longest name of a holder, in characters.
const LONGEST_NAME: usize = 100;

/// Bytes of randomness in a token.
const BYTES: usize = 32;

/// The prefix of tokens, so that scanners for secrets know one.
const PREFIX: &str = "loopctl_";

/// The longest token that is looked up; ours are shorter.
const LONGEST: usize = 128;

/// The kind of a token.
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

/// The way a token comes. A session is valid in its cookie alone, and the token of a person or a program everywhere
/// else: an attacker who gets hold of a session can't have it prolonged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenTransport {
    /// In a header, or to sign in with.
    Named,
    /// In the cookie.
    InCookie,
}

impl TokenTransport {
    fn takes(self, kind: &str) -> bool {
        (kind == TokenKind::Session.as_str()) == (self == TokenTransport::InCookie)
    }
}

/// A token to be issued.
#[derive(Debug, Clone)]
pub struct NewAccess<'a> {
    /// The name of its holder, which decisions and the access log carry.
    pub name: &'a str,
    /// Its role.
    pub role: AccessRole,
    /// The time for which it is valid; `None` for ever.
    pub lasts: Option<SignedDuration>,
    /// `true` if it is printed when the service starts.
    pub is_launch: bool,
}

/// Makes a token and keeps its hash. The token itself is only in what is returned. One that is printed at the start
/// revokes those of earlier starts: they are in the logs of those.
///
/// # Errors
/// When the journal can't be written, or the system gives no random bytes.
pub fn issue_token(journal: &Journal, access: &NewAccess<'_>) -> Result<String, StoreError> {
    if !access.is_launch {
        return issue(journal, TokenKind::Token, access);
    }
    revoke_links(journal)?;
    issue(journal, TokenKind::Launch, access)
}

/// Revokes the links that earlier starts printed.
///
/// # Errors
/// When the journal can't be written.
pub(crate) fn revoke_links(journal: &Journal) -> Result<(), StoreError> {
    journal.revoke_kind(TokenKind::Launch.as_str(), &Timestamp::now().to_string()).map(drop)
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

/// The hash that is kept of a token. A token is long and random, so one round without a salt is enough.
pub(super) fn hash_of(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// The name of a holder, without the blanks around it.
///
/// # Errors
/// The reason why it can't be one.
pub fn holder_name(written: &str) -> Result<&str, &'static str> {
    let name = written.trim();
    let fits = (1..=LONGEST_NAME).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    fits.then_some(name).ok_or("a token needs a name of at most 100 characters on one line")
}

/// The state of a token at a time: `valid`, `expired` or `revoked`.
pub fn token_state(token: &StoredToken, now: Timestamp) -> &'static str {
    match (is_valid(token, now), &token.revoked_at) {
        (true, _) => "valid",
        (false, Some(_)) => "revoked",
        (false, None) => "expired",
    }
}

/// Returns whether a token lets its holder in at a time.
pub(crate) fn is_valid(token: &StoredToken, now: Timestamp) -> bool {
    let is_to_come = |at: &String| at.parse().is_ok_and(|at: Timestamp| at > now);
    token.revoked_at.is_none() && token.expires_at.as_ref().is_none_or(is_to_come)
}

/// Returns the token and its role, if it is valid. It is looked up by its hash, so that the time this takes says
/// nothing about it.
///
/// # Errors
/// When the journal can't be read.
pub(super) fn holder(
    journal: &Journal,
    token: &str,
    comes: TokenTransport,
) -> Result<Option<(StoredToken, AccessRole)>, StoreError> {
    if !token.starts_with(PREFIX) || token.len() > LONGEST {
        return Ok(None);
    }
    let Some(found) = journal.token(&hash_of(token))? else { return Ok(None) };
    let holds = comes.takes(&found.kind) && is_valid(&found, Timestamp::now());
    Ok(found.role.parse().ok().filter(|_| holds).map(|role| (found, role)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(is_launch: bool) -> NewAccess<'static> {
        NewAccess { name: "ada", role: AccessRole::Review, lasts: None, is_launch }
    }

    fn holds(journal: &Journal, token: &str, comes: TokenTransport) -> bool {
        holder(journal, token, comes).unwrap().is_some()
    }

    #[test]
    fn a_session_is_good_in_its_cookie_alone() {
        let journal = Journal::in_memory().unwrap();
        let token = issue_token(&journal, &access(false)).unwrap();
        let session = issue(&journal, TokenKind::Session, &access(false)).unwrap();
        assert!(
            holds(&journal, &token, TokenTransport::Named)
                && !holds(&journal, &token, TokenTransport::InCookie)
        );
        assert!(
            holds(&journal, &session, TokenTransport::InCookie)
                && !holds(&journal, &session, TokenTransport::Named)
        );
    }

    /// Links of earlier starts are in terminals and logs.
    #[test]
    fn a_link_is_good_until_the_next_start() {
        let journal = Journal::in_memory().unwrap();
        let given = issue_token(&journal, &access(false)).unwrap();
        let first = issue_token(&journal, &access(true)).unwrap();
        let session = issue(&journal, TokenKind::Session, &access(false)).unwrap();
        let second = issue_token(&journal, &access(true)).unwrap();
        assert!(
            !holds(&journal, &first, TokenTransport::Named)
                && holds(&journal, &second, TokenTransport::Named)
        );
        revoke_links(&journal).unwrap();
        assert!(!holds(&journal, &second, TokenTransport::Named), "the next start prints none");
        assert!(
            holds(&journal, &given, TokenTransport::Named)
                && holds(&journal, &session, TokenTransport::InCookie)
        );
    }

    #[test]
    fn what_no_token_can_be_is_not_looked_up() {
        let journal = Journal::in_memory().unwrap();
        for none in ["", "loopctl_", "x", &format!("loopctl_{}", "x".repeat(4096))] {
            assert!(!holds(&journal, none, TokenTransport::Named), "{none}");
        }
    }
}
