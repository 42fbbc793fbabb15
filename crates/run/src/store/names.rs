//! The names of documents in a folder of artifacts. A location keeps its name for ever, regardless of the runs that
//! write there, so that no two documents share a file and none changes its name when others join it.

use crate::value::digest_bytes;
use rusqlite::{Connection, OptionalExtension, params};

/// The number of documents that have their files in one folder.
const DOCUMENTS_PER_FOLDER: i64 = 1_000;

/// The name of a document's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactName {
    /// Its number in the journal.
    pub(super) number: i64,
    /// The name, which is the document's id.
    pub name: String,
}

impl ArtifactName {
    /// The folder within that of the artifacts, where there are so many documents that one folder is not enough: `0001`
    /// for the second thousand.
    #[must_use]
    pub fn shard(&self) -> Option<String> {
        let shard = (self.number - 1).max(0) / DOCUMENTS_PER_FOLDER;
        (shard > 0).then(|| format!("{shard:04}"))
    }
}

/// A location as the tables have it.
pub(super) fn digest_of(place: &str) -> Vec<u8> {
    let mut hexadecimal = digest_bytes(place.as_bytes());
    hexadecimal.truncate(32);
    hexadecimal.into_bytes()
}

/// The name of a location in a folder: the one it has, or the first of `wanted` that is free.
pub(super) fn reserve(
    connection: &Connection,
    folder: &str,
    place: &[u8],
    wanted: &[String],
) -> rusqlite::Result<ArtifactName> {
    let known = connection
        .prepare_cached("SELECT number, name FROM names WHERE folder = ?1 AND place = ?2")?
        .query_one(params![folder, place], |row| Ok(ArtifactName { number: row.get(0)?, name: row.get(1)? }))
        .optional()?;
    if let Some(known) = known {
        return Ok(known);
    }
    for name in wanted {
        let reserved = connection
            .prepare_cached(
                "INSERT OR IGNORE INTO names (folder, key, name, place) VALUES (?1, ?2, ?3, ?4) RETURNING number",
            )?
            // File systems that take upper and lower case as the same must not make one file of two.
            .query_one(params![folder, name.to_lowercase(), name, place], |row| row.get(0))
            .optional()?;
        if let Some(number) = reserved {
            return Ok(ArtifactName { number, name: name.clone() });
        }
    }
    Err(rusqlite::Error::QueryReturnedNoRows)
}

/// The name with this number.
pub(super) fn of(connection: &Connection, number: i64) -> rusqlite::Result<ArtifactName> {
    connection
        .prepare_cached("SELECT name FROM names WHERE number = ?1")?
        .query_one([number], |row| Ok(ArtifactName { number, name: row.get(0)? }))
}
