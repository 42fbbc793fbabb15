//! Access to the service: its tokens, and the log of who did what. Of tokens only their hashes are kept.

use super::history::unsigned;
use super::journal::Urgency;
use super::runs::timestamp;
use super::{Journal, Receipt, StoreError};
use rusqlite::{OptionalExtension, Row, params};

/// A token to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// SHA-256 of it.
    pub hash: [u8; 32],
    /// The kind: a token that a person or a program holds, or the session of a browser.
    pub kind: String,
    /// The name of its holder.
    pub name: String,
    /// The role of its holder.
    pub role: String,
    /// The time at which it was created, as RFC 3339.
    pub created_at: String,
    /// The time at which it expires, as RFC 3339; `None` if it never does.
    pub expires_at: Option<String>,
}

/// A token that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredToken {
    /// Its number in the journal.
    pub number: u64,
    /// The kind.
    pub kind: String,
    /// The name of its holder.
    pub name: String,
    /// The role of its holder.
    pub role: String,
    /// The time at which it was created, as RFC 3339.
    pub created_at: String,
    /// The time at which it expires, as RFC 3339; `None` if it never does.
    pub expires_at: Option<String>,
    /// The time at which it was revoked, as RFC 3339.
    pub revoked_at: Option<String>,
}

/// An action of a user of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessRecord {
    /// The time, as RFC 3339.
    pub at: String,
    /// The name of the token; empty without one.
    pub name: String,
    /// The method of the request.
    pub method: String,
    /// Its path, without the query.
    pub path: String,
    /// The status of the answer.
    pub status: u16,
    /// The reason why it was refused, or its outcome.
    pub detail: Option<String>,
}

/// The entries of the access log that are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessRetention {
    /// The time since which entries with a token are kept, as RFC 3339 in UTC.
    pub named_from: String,
    /// The time since which entries without a token are kept.
    pub nameless_from: String,
    /// The most entries without a token that are kept.
    pub most_nameless: u32,
}

const SELECT_TOKENS: &str =
    "SELECT number, kind, name, role, created_at, expires_at, revoked_at FROM access_tokens";

impl Journal {
    /// Keeps a token.
    ///
    /// # Errors
    /// [`StoreError::Time`], and any failure of the file.
    pub fn add_token(&self, token: &NewToken) -> Result<u64, StoreError> {
        timestamp(&token.created_at)?;
        token.expires_at.as_deref().map(timestamp).transpose()?;
        let query = "INSERT INTO access_tokens (hash, kind, name, role, created_at, expires_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING number";
        self.transact(|connection| {
            let values =
                params![token.hash, token.kind, token.name, token.role, token.created_at, token.expires_at];
            connection.query_one(query, values, |row| unsigned(row, 0)).map_err(|error| self.sqlite(&error))
        })
    }

    /// The token with this hash, whether it is still valid or not.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn token(&self, hash: &[u8; 32]) -> Result<Option<StoredToken>, StoreError> {
        let query = format!("{SELECT_TOKENS} WHERE hash = ?1");
        let connection = self.connection();
        let found = connection
            .prepare_cached(&query)
            .and_then(|mut statement| statement.query_one(params![hash], read_token).optional());
        found.map_err(|error| self.sqlite(&error))
    }

    /// Every token of a kind, in the order in which they were made.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn tokens(&self, kind: &str) -> Result<Vec<StoredToken>, StoreError> {
        self.select(&format!("{SELECT_TOKENS} WHERE kind = ?1 ORDER BY number"), [kind], read_token)
    }

    /// Revokes the tokens and sessions of a name. Returns how many were revoked.
    ///
    /// # Errors
    /// [`StoreError::Time`], and any failure of the file.
    pub fn revoke_tokens(&self, name: &str, at: &str) -> Result<usize, StoreError> {
        self.revoke("name = ?1", name, at)
    }

    /// Revokes every token of a kind. Returns how many were revoked.
    ///
    /// # Errors
    /// [`StoreError::Time`], and any failure of the file.
    pub fn revoke_kind(&self, kind: &str, at: &str) -> Result<usize, StoreError> {
        self.revoke("kind = ?1", kind, at)
    }

    /// Revokes one token.
    ///
    /// # Errors
    /// [`StoreError::Time`], and any failure of the file.
    pub fn revoke_token(&self, hash: &[u8; 32], at: &str) -> Result<usize, StoreError> {
        self.revoke("hash = ?1", hash, at)
    }

    fn revoke(&self, filter: &str, which: impl rusqlite::ToSql, at: &str) -> Result<usize, StoreError> {
        timestamp(at)?;
        let change =
            format!("UPDATE access_tokens SET revoked_at = ?2 WHERE {filter} AND revoked_at IS NULL");
        self.transact(|connection| {
            connection.execute(&change, params![which, at]).map_err(|error| self.sqlite(&error))
        })
    }

    /// Removes sessions that expired before a time, as RFC 3339 in UTC.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn forget_sessions(&self, before: &str) -> Result<usize, StoreError> {
        let change = "DELETE FROM access_tokens WHERE kind = 'session' AND expires_at < ?1";
        self.transact(|connection| connection.execute(change, [before]).map_err(|error| self.sqlite(&error)))
    }

    /// Logs an action.
    pub fn log_access(&self, record: AccessRecord) -> Receipt {
        let path = self.path().to_path_buf();
        self.submit_as(Urgency::Deferred, move |connection| {
            let query = "INSERT INTO access_log (at, name, method, path, status, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let AccessRecord { at, name, method, path: of, status, detail } = &record;
            connection
                .prepare_cached(query)
                .and_then(|mut statement| statement.execute(params![at, name, method, of, status, detail]))
                .map(drop)
                .map_err(|error| StoreError::sqlite(&path, &error))
        })
    }

    /// Removes entries of the access log that are too old, and the oldest of too many without a token, since anyone can
    /// cause these. Returns the number of removed entries.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn prune_access_log(&self, kept: &AccessRetention) -> Result<usize, StoreError> {
        let which = "number < (SELECT coalesce(min(number), 9223372036854775807) FROM access_log WHERE at >= ?1)
                     OR name = '' AND (at < ?2 OR number <= (SELECT number FROM access_log WHERE name = '' ORDER BY number DESC LIMIT 1 OFFSET ?3))";
        let AccessRetention { named_from, nameless_from, most_nameless } = kept;
        let values = params![named_from, nameless_from, most_nameless];
        let is_any = format!("SELECT EXISTS (SELECT 1 FROM access_log WHERE {which})");
        if !self.select(&is_any, values, |row| row.get::<_, bool>(0))?.pop().unwrap_or_default() {
            return Ok(0);
        }
        self.transact(|connection| {
            let prune = || -> rusqlite::Result<usize> {
                // A trigger keeps everything else from removing entries.
                let guard = "SELECT sql FROM sqlite_schema WHERE name = 'access_log_is_never_removed'";
                let guard: String = connection.query_one(guard, [], |row| row.get(0))?;
                connection.execute_batch("DROP TRIGGER access_log_is_never_removed")?;
                let removed = connection.execute(&format!("DELETE FROM access_log WHERE {which}"), values)?;
                connection.execute_batch(&guard)?;
                Ok(removed)
            };
            prune().map_err(|error| self.sqlite(&error))
        })
    }

    /// The latest entries of the access log before a number (all, with 0), the latest first, each with its number.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn access_log(&self, before: u64, most: u32) -> Result<Vec<(u64, AccessRecord)>, StoreError> {
        let query = "SELECT number, at, name, method, path, status, detail FROM access_log
                     WHERE ?1 = 0 OR number < ?1 ORDER BY number DESC LIMIT ?2";
        let before = i64::try_from(before).unwrap_or(i64::MAX);
        self.select(query, params![before, most], |row| {
            let record = AccessRecord {
                at: row.get(1)?,
                name: row.get(2)?,
                method: row.get(3)?,
                path: row.get(4)?,
                status: row.get(5)?,
                detail: row.get(6)?,
            };
            Ok((unsigned(row, 0)?, record))
        })
    }

    /// A setting of the service, as JSON.
    ///
    /// # Errors
    /// When the file can't be read.
    pub fn service_setting(&self, name: &str) -> Result<Option<serde_json::Value>, StoreError> {
        let query = "SELECT value FROM service_settings WHERE name = ?1";
        Ok(self.select(query, [name], |row| super::history::value(row, 0))?.pop())
    }

    /// Keeps a setting of the service.
    ///
    /// # Errors
    /// Any failure of the file.
    pub fn set_service_setting(&self, name: &str, value: &serde_json::Value) -> Result<(), StoreError> {
        let value = super::entries::json(value)?;
        self.transact(|connection| {
            let query = "INSERT OR REPLACE INTO service_settings (name, value) VALUES (?1, ?2)";
            connection.execute(query, params![name, value]).map(drop).map_err(|error| self.sqlite(&error))
        })
    }
}

fn read_token(row: &Row<'_>) -> rusqlite::Result<StoredToken> {
    Ok(StoredToken {
        number: unsigned(row, 0)?,
        kind: row.get(1)?,
        name: row.get(2)?,
        role: row.get(3)?,
        created_at: row.get(4)?,
        expires_at: row.get(5)?,
        revoked_at: row.get(6)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(at: &str, name: &str) -> AccessRecord {
        AccessRecord {
            at: at.to_owned(),
            name: name.to_owned(),
            method: "GET".to_owned(),
            path: "/".to_owned(),
            status: 200,
            detail: None,
        }
    }

    #[test]
    fn what_is_old_is_removed_and_what_anybody_may_add_is_few() {
        let journal = Journal::in_memory().unwrap();
        let entries = [
            ("2020-01-01T00:00:00Z", "ada"),
            ("2020-01-01T00:00:01Z", ""),
            ("2025-01-01T00:00:00Z", "ada"),
            ("2025-01-01T00:00:01Z", ""),
            ("2026-01-01T00:00:00Z", ""),
            ("2026-01-01T00:00:01Z", ""),
            ("2026-01-01T00:00:02Z", "bob"),
            ("2026-01-01T00:00:03Z", ""),
        ];
        for (at, name) in entries {
            journal.log_access(record(at, name)).wait().unwrap();
        }
        let kept = AccessRetention {
            named_from: "2024-01-01T00:00:00Z".to_owned(),
            nameless_from: "2025-06-01T00:00:00Z".to_owned(),
            most_nameless: 2,
        };
        assert_eq!(journal.prune_access_log(&kept).unwrap(), 4);
        let left: Vec<(String, String)> =
            journal.access_log(0, 100).unwrap().into_iter().map(|(_, it)| (it.at, it.name)).collect();
        let left: Vec<(&str, &str)> = left.iter().map(|(at, name)| (at.as_str(), name.as_str())).collect();
        let expected = [entries[7], entries[6], entries[5], entries[2]];
        assert_eq!(left, expected);
        assert_eq!(journal.prune_access_log(&kept).unwrap(), 0);
        // A trigger keeps everything else from removing entries.
        assert!(journal.connection().execute("DELETE FROM access_log", []).is_err());
    }
}
