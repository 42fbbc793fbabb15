//! The journal's tables, and the way from each older format to this one.
//!
//! The first release writes format 6. A later format is a step from the one before; a file written by each release is kept in `formats/`
//! for ever, and a test reads it.

use super::StoreError;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use std::path::Path;

/// Marks a SQLite file as ours: `loop` in ASCII.
const APPLICATION_ID: i64 = 0x6c6f_6f70;

/// The format that this release writes. Earlier ones were of no release.
pub(super) const FORMAT_VERSION: i64 = 6;

/// The tables of an empty journal.
const TABLES: &str = include_str!("tables.sql");

/// The kind of a file, found out without changing it.
enum FileFormat {
    Empty,
    Format(i64),
    NotOurs,
}

/// Brings the file to [`FORMAT_VERSION`]. A file that is not ours, or newer, is left as it is.
pub(super) fn prepare(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let sqlite = |error: rusqlite::Error| StoreError::sqlite(path, &error);
    // In one transaction: between two reads another process may turn the empty file into a journal.
    let seen = connection.transaction().map_err(sqlite)?;
    if version(&seen, path)? == FORMAT_VERSION {
        return Ok(());
    }
    drop(seen);
    // Another process may do the same at this moment, so the version is asked again under the lock.
    let upgrade = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sqlite)?;
    if version(&upgrade, path)? == FORMAT_VERSION {
        return Ok(());
    }
    upgrade.execute_batch(TABLES).map_err(sqlite)?;
    upgrade.execute("INSERT INTO format (version) VALUES (?1)", [FORMAT_VERSION]).map_err(sqlite)?;
    upgrade.pragma_update(None, "application_id", APPLICATION_ID).map_err(sqlite)?;
    upgrade.commit().map_err(sqlite)
}

/// The format of the file, 0 if it is empty.
fn version(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    let path = path.to_path_buf();
    match find(connection).map_err(|error| StoreError::sqlite(&path, &error))? {
        FileFormat::Empty => Ok(0),
        FileFormat::Format(FORMAT_VERSION) => Ok(FORMAT_VERSION),
        FileFormat::Format(found) if found > FORMAT_VERSION => {
            Err(StoreError::NewerFormat { path, found, supported: FORMAT_VERSION })
        }
        FileFormat::Format(found) if found > 0 => Err(StoreError::UnreleasedFormat { path, found }),
        FileFormat::Format(found) => {
            Err(StoreError::Damaged { path, reason: format!("there never was a format {found}") })
        }
        FileFormat::NotOurs => Err(StoreError::NotAJournal { path }),
    }
}

fn find(connection: &Connection) -> rusqlite::Result<FileFormat> {
    let application: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if application != APPLICATION_ID {
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        return Ok(if tables == 0 && application == 0 { FileFormat::Empty } else { FileFormat::NotOurs });
    }
    let version = connection.query_row("SELECT version FROM format", [], |row| row.get(0)).optional()?;
    Ok(version.map_or(FileFormat::NotOurs, FileFormat::Format))
}

#[cfg(test)]
mod tests {
    use super::super::{DocumentStage, EventLog, Journal, LogEntry, NewReview, RunId};
    use super::*;
    use crate::value::{DocumentId, Millis};
    use proptest::prelude::*;
    use serde_json::json;
    use std::path::PathBuf;
    use std::sync::LazyLock;

    /// The journal of each release, as `sqlite3 journal.sqlite .dump` shows it. Never edited; each format adds one.
    const WRITTEN: [&str; 1] = [include_str!("formats/v6.sql")];

    fn happened(payload: &serde_json::Value) -> LogEntry {
        LogEntry::Happened { seq: 1, at: Millis(1), kind: "k".into(), payload: payload.to_string() }
    }

    fn write(dir: &Path, dump: &str) -> PathBuf {
        let path = dir.join("journal.sqlite");
        Connection::open(&path).unwrap().execute_batch(dump).unwrap();
        path
    }

    fn tables(path: &Path) -> Vec<(String, String)> {
        let connection = Connection::open(path).unwrap();
        let mut query = connection
            .prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
            .unwrap();
        let words = |sql: String| sql.split_whitespace().collect::<Vec<_>>().join(" ");
        let rows = query.query_map([], |row| Ok((row.get(0)?, words(row.get(1)?)))).unwrap();
        rows.map(Result::unwrap).collect()
    }

    #[test]
    fn journals_of_every_release_can_be_read_and_gone_on_with() {
        for (n, dump) in WRITTEN.iter().enumerate() {
            let dir = tempfile::tempdir().unwrap();
            let path = write(dir.path(), dump);
            let journal = Journal::open(&path).unwrap();
            let (run, document) = (RunId::new("20260131T120000Z-0001"), DocumentId::new("report-1"));
            let stored = journal.run(&run).unwrap().unwrap();
            assert_eq!((stored.record.profile.as_str(), stored.finished_documents), ("clinical", 1), "{n}");
            let events = journal.events(&run, &document).unwrap();
            assert_eq!(events[1].payload, json!({"overall": 0.985, "issues": []}), "{n}");
            assert_eq!(
                journal.outcome(&run, &document).unwrap(),
                Some(json!({"final_status": "passed"})),
                "{n}"
            );
            let open = &journal.documents(&run).unwrap()[1];
            assert_eq!((open.record.id.as_str(), open.stage), ("report-2", DocumentStage::GivenUp));
            journal.write(open.key, vec![happened(&json!(1))]).wait().unwrap();
            assert_eq!(journal.events_of(open.key).unwrap().0.len(), 2, "{n}");
            let reviews = journal.reviews(&run).unwrap();
            assert_eq!(reviews.len(), 1, "{n}");
            let review = NewReview {
                document,
                at: "2026-02-02T10:00:00Z".to_owned(),
                reviewer: "b".to_owned(),
                decision: json!({"action": "accept"}),
            };
            journal.append_reviews(&run, &[review]).unwrap();
            assert_eq!(journal.reviews(&run).unwrap().len(), reviews.len() + 1, "{n}");
        }
    }

    #[test]
    fn an_upgraded_journal_has_the_tables_of_a_fresh_one() {
        let dir = tempfile::tempdir().unwrap();
        let fresh = dir.path().join("fresh.sqlite");
        drop(Journal::open(&fresh).unwrap());
        for dump in WRITTEN {
            let dir = tempfile::tempdir().unwrap();
            let path = write(dir.path(), dump);
            drop(Journal::open(&path).unwrap());
            assert_eq!(tables(&path), tables(&fresh));
        }
    }

    #[test]
    fn a_newer_format_is_refused_and_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = write(dir.path(), WRITTEN[0]);
        Connection::open(&path).unwrap().execute("UPDATE format SET version = 7", []).unwrap();
        let before = std::fs::read(&path).unwrap();
        let error = Journal::open(&path).unwrap_err();
        let (shown, name) = (error.to_string(), path.display());
        assert_eq!(shown, format!("the journal `{name}` has format 7; this release reads formats up to 6"));
        assert!(error.help().contains("later"));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_format_of_no_release_is_refused_and_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = write(dir.path(), WRITTEN[0]);
        Connection::open(&path).unwrap().execute("UPDATE format SET version = 3", []).unwrap();
        let before = std::fs::read(&path).unwrap();
        let error = Journal::open(&path).unwrap_err();
        assert!(error.to_string().contains("has format 3, of no release"), "{error}");
        assert!(error.help().contains("--journal"));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn files_of_others_are_refused_and_left_as_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let text = dir.path().join("notes.txt");
        std::fs::write(&text, "not a database, and longer than its head ".repeat(9)).unwrap();
        let database = dir.path().join("other.sqlite");
        Connection::open(&database).unwrap().execute_batch("CREATE TABLE runs (x)").unwrap();
        for path in [text, database] {
            let before = std::fs::read(&path).unwrap();
            let error = Journal::open(&path).unwrap_err();
            assert!(matches!(error, StoreError::NotAJournal { .. }), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), before);
        }
    }

    /// A journal of some forty pages.
    static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let dir = tempfile::tempdir().unwrap();
        let path = write(dir.path(), WRITTEN[0]);
        let journal = Journal::open(&path).unwrap();
        let run = RunId::new("20260131T120000Z-0001");
        let open = journal.documents(&run).unwrap()[1].key;
        for seq in 1..4 {
            let payload = json!("x".repeat(50_000)).to_string();
            let filler = LogEntry::Happened { seq, at: Millis(1), kind: "k".into(), payload };
            journal.write(open, vec![filler]).wait().unwrap();
        }
        drop(journal);
        std::fs::read(path).unwrap()
    });

    /// Opens a file of these bytes and reads all that is in it.
    fn read_all(bytes: &[u8]) -> Result<usize, StoreError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.sqlite");
        std::fs::write(&path, bytes).unwrap();
        let journal = Journal::open(&path)?;
        let mut count = 0;
        for run in journal.runs()? {
            for document in journal.documents(&run.id)? {
                count += journal.events(&run.id, &document.record.id)?.len();
                journal.outcome(&run.id, &document.record.id)?;
            }
        }
        Ok(count)
    }

    #[test]
    fn a_journal_that_was_cut_off_is_damaged() {
        assert_eq!(read_all(&WHOLE).unwrap(), 6);
        for keep in [1, 2, 3] {
            let error = read_all(&WHOLE[..WHOLE.len() * keep / 4]).unwrap_err();
            assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
            assert!(error.help().contains("move the file away"));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn no_damage_makes_it_panic(at in any::<prop::sample::Index>(), with in prop::collection::vec(any::<u8>(), 1..600)) {
            let mut bytes = WHOLE.clone();
            let start = at.index(bytes.len());
            for (byte, new) in bytes.iter_mut().skip(start).zip(with) {
                *byte = new;
            }
            if let Err(error) = read_all(&bytes) {
                prop_assert!(!error.help().is_empty());
            }
        }
    }
}
