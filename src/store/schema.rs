//! The journal's tables, and the way from each older format to this one.
//!
//! A format is changed by adding a step to [`STEPS`], never by changing one; a file written by each release is kept
//! in `formats/` for ever, and a test reads it.

use super::StoreError;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use std::path::Path;

/// Marks a SQLite file as ours: `loop` in ASCII.
const APPLICATION_ID: i64 = 0x6c6f_6f70;

/// The format that this release writes.
pub(crate) const FORMAT_VERSION: i64 = 5;

/// Step `n` (from 0) turns format `n` into format `n + 1`; format 0 is an empty file.
const STEPS: [&str; 5] = [
    "
    CREATE TABLE format (version INTEGER NOT NULL) STRICT;
    INSERT INTO format (version) VALUES (0);

    CREATE TABLE runs (
        number          INTEGER PRIMARY KEY,
        id              TEXT NOT NULL UNIQUE,
        started_at      TEXT NOT NULL,
        finished_at     TEXT,
        profile         TEXT NOT NULL,
        profile_digest  TEXT NOT NULL,
        loopctl_version TEXT NOT NULL,
        plugins         TEXT NOT NULL,
        settings        TEXT NOT NULL
    ) STRICT;

    CREATE TABLE documents (
        number        INTEGER PRIMARY KEY,
        run           INTEGER NOT NULL REFERENCES runs (number),
        id            TEXT NOT NULL,
        document_type TEXT NOT NULL,
        source_digest TEXT NOT NULL,
        path          TEXT,
        UNIQUE (run, id)
    ) STRICT;

    CREATE TABLE events (
        document INTEGER NOT NULL REFERENCES documents (number),
        seq      INTEGER NOT NULL,
        at_ms    INTEGER NOT NULL,
        kind     TEXT NOT NULL,
        payload  TEXT NOT NULL,
        PRIMARY KEY (document, seq)
    ) STRICT;

    CREATE TABLE outcomes (
        document INTEGER PRIMARY KEY REFERENCES documents (number),
        outcome  TEXT NOT NULL
    ) STRICT;

    CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
        BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
    CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
        BEGIN SELECT RAISE(ABORT, 'events are never removed'); END;
",
    // Documents become a queue that several processes work on. Events are in the order in which they were written, so
    // that pages are filled whole, regardless of the documents in flight.
    "
    ALTER TABLE runs ADD COLUMN state INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE runs ADD COLUMN listed INTEGER NOT NULL DEFAULT 0;
    UPDATE runs SET state = 1, listed = 1 WHERE finished_at IS NOT NULL;

    CREATE TABLE workers (
        number  INTEGER PRIMARY KEY,
        run     INTEGER NOT NULL REFERENCES runs (number),
        machine TEXT NOT NULL,
        process TEXT NOT NULL,
        state   INTEGER NOT NULL DEFAULT 0,
        beats   INTEGER NOT NULL DEFAULT 0,
        calls   INTEGER NOT NULL DEFAULT 0,
        tokens  INTEGER NOT NULL DEFAULT 0,
        cost    REAL NOT NULL DEFAULT 0
    ) STRICT;

    ALTER TABLE documents ADD COLUMN place BLOB;
    ALTER TABLE documents ADD COLUMN source TEXT;
    ALTER TABLE documents ADD COLUMN artifact INTEGER;
    ALTER TABLE documents ADD COLUMN state INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE documents ADD COLUMN worker INTEGER REFERENCES workers (number);
    ALTER TABLE documents ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE documents ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE documents ADD COLUMN reason TEXT;
    UPDATE documents SET attempts = 1,
        state = CASE WHEN number IN (SELECT document FROM outcomes) THEN 2 ELSE 4 END;
    CREATE INDEX documents_by_state ON documents (run, state);
    CREATE UNIQUE INDEX documents_by_place ON documents (run, place) WHERE place IS NOT NULL;

    CREATE TABLE names (
        number INTEGER PRIMARY KEY,
        folder TEXT NOT NULL,
        key    TEXT NOT NULL,
        name   TEXT NOT NULL,
        place  BLOB NOT NULL,
        UNIQUE (folder, key),
        UNIQUE (folder, place)
    ) STRICT;

    CREATE TABLE answers (
        number   INTEGER PRIMARY KEY,
        document INTEGER NOT NULL REFERENCES documents (number),
        call     TEXT NOT NULL,
        question BLOB NOT NULL,
        answer   BLOB NOT NULL,
        UNIQUE (document, call)
    ) STRICT;

    CREATE TABLE batches (
        number       INTEGER PRIMARY KEY,
        run          INTEGER NOT NULL REFERENCES runs (number),
        own_id       TEXT NOT NULL UNIQUE,
        provider     TEXT NOT NULL,
        shared       TEXT NOT NULL,
        state        INTEGER NOT NULL DEFAULT 0,
        handle       TEXT,
        intended_at  TEXT NOT NULL,
        submitted_at TEXT,
        cancelled_at TEXT
    ) STRICT;

    CREATE TABLE batch_lines (
        number    INTEGER PRIMARY KEY,
        document  INTEGER NOT NULL REFERENCES documents (number),
        call      TEXT NOT NULL,
        custom_id TEXT NOT NULL UNIQUE,
        provider  TEXT NOT NULL,
        shared    TEXT NOT NULL,
        question  BLOB NOT NULL,
        line      BLOB NOT NULL,
        state     INTEGER NOT NULL DEFAULT 0,
        batch     INTEGER REFERENCES batches (number),
        saved     REAL NOT NULL DEFAULT 0,
        UNIQUE (document, call)
    ) STRICT;
    CREATE INDEX batch_lines_by_batch ON batch_lines (batch) WHERE batch IS NOT NULL;

    CREATE TABLE numbered_events (
        number   INTEGER PRIMARY KEY,
        document INTEGER NOT NULL REFERENCES documents (number),
        seq      INTEGER NOT NULL,
        at_ms    INTEGER NOT NULL,
        kind     TEXT NOT NULL,
        payload  TEXT NOT NULL
    ) STRICT;
    INSERT INTO numbered_events (document, seq, at_ms, kind, payload)
        SELECT document, seq, at_ms, kind, payload FROM events ORDER BY document, seq;
    DROP TABLE events;
    ALTER TABLE numbered_events RENAME TO events;
    CREATE UNIQUE INDEX events_by_document ON events (document, seq);
    CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
        BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
    CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
        BEGIN SELECT RAISE(ABORT, 'events are never removed'); END;
",
    // Decisions of people about documents. They are kept beside events, because they may come long after the run.
    "
    CREATE TABLE reviews (
        number   INTEGER PRIMARY KEY,
        document INTEGER NOT NULL REFERENCES documents (number),
        at       TEXT NOT NULL,
        reviewer TEXT NOT NULL,
        decision TEXT NOT NULL
    ) STRICT;
    CREATE INDEX reviews_by_document ON reviews (document);
    CREATE TRIGGER reviews_are_never_changed BEFORE UPDATE ON reviews
        BEGIN SELECT RAISE(ABORT, 'reviews are never changed'); END;
    CREATE TRIGGER reviews_are_never_removed BEFORE DELETE ON reviews
        BEGIN SELECT RAISE(ABORT, 'reviews are never removed'); END;
",
    // Records of the service beside runs: submitters, access, leases, and the access log.
    "
    CREATE TABLE jobs (
        document        INTEGER PRIMARY KEY REFERENCES documents (number),
        id              TEXT NOT NULL UNIQUE,
        submitter       TEXT NOT NULL,
        idempotency_key TEXT,
        request_digest  TEXT NOT NULL,
        submitted_at    TEXT NOT NULL,
        request         TEXT NOT NULL,
        cancelled_at    TEXT,
        UNIQUE (submitter, idempotency_key)
    ) STRICT;

    CREATE TABLE leases (
        document INTEGER PRIMARY KEY REFERENCES documents (number),
        reviewer TEXT NOT NULL,
        until_ms INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE review_shares (
        run    INTEGER PRIMARY KEY REFERENCES runs (number),
        audit  REAL NOT NULL,
        second REAL NOT NULL
    ) STRICT;
    CREATE TRIGGER review_shares_are_never_changed BEFORE UPDATE ON review_shares
        BEGIN SELECT RAISE(ABORT, 'review shares are never changed'); END;

    CREATE TABLE access_tokens (
        number     INTEGER PRIMARY KEY,
        hash       BLOB NOT NULL UNIQUE,
        kind       TEXT NOT NULL,
        name       TEXT NOT NULL,
        role       TEXT NOT NULL,
        created_at TEXT NOT NULL,
        expires_at TEXT,
        revoked_at TEXT
    ) STRICT;

    CREATE TABLE access_log (
        number INTEGER PRIMARY KEY,
        at     TEXT NOT NULL,
        name   TEXT NOT NULL,
        method TEXT NOT NULL,
        path   TEXT NOT NULL,
        status INTEGER NOT NULL,
        detail TEXT
    ) STRICT;
    CREATE TRIGGER access_log_is_never_changed BEFORE UPDATE ON access_log
        BEGIN SELECT RAISE(ABORT, 'the access log is never changed'); END;
    CREATE TRIGGER access_log_is_never_removed BEFORE DELETE ON access_log
        BEGIN SELECT RAISE(ABORT, 'nothing is removed from the access log'); END;

    CREATE TABLE service_settings (
        name  TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) STRICT;

    -- What pages and trends show of results, so that nobody reads whole results for it. When a document ended is not known of results
    -- that older formats kept.
    CREATE TABLE figures (
        number                INTEGER PRIMARY KEY,
        document              INTEGER NOT NULL UNIQUE REFERENCES documents (number),
        ended_ms              INTEGER,
        final_status          TEXT,
        stop_reason           TEXT,
        review                INTEGER,
        overall               REAL,
        iteration_count       INTEGER,
        improvement           REAL,
        elapsed_ms            INTEGER,
        calls                 INTEGER,
        tokens                INTEGER,
        cost_usd              REAL,
        calls_of_unknown_cost INTEGER,
        iterations            TEXT,
        issues                TEXT
    ) STRICT;
    CREATE VIEW read_figures AS SELECT
        o.document AS document,
        CAST(json_extract(outcome, '$.final_status') AS TEXT) AS final_status,
        CAST(json_extract(outcome, '$.stop_reason') AS TEXT) AS stop_reason,
        CAST(json_extract(outcome, '$.review') AS INTEGER) AS review,
        CAST(json_extract(outcome, '$.best_validation.overall') AS REAL) AS overall,
        CAST(json_extract(outcome, '$.iteration_count') AS INTEGER) AS iteration_count,
        CAST(json_extract(outcome, '$.improvement_trajectory[#-1]') AS REAL)
            - CAST(json_extract(outcome, '$.improvement_trajectory[0]') AS REAL) AS improvement,
        CAST(json_extract(outcome, '$.elapsed_ms') AS INTEGER) AS elapsed_ms,
        CAST(json_extract(outcome, '$.usage.calls') AS INTEGER) AS calls,
        CAST(json_extract(outcome, '$.usage.tokens') AS INTEGER) AS tokens,
        CAST(coalesce(json_extract(outcome, '$.usage.known_cost_usd'), json_extract(outcome, '$.usage.cost_usd')) AS REAL) AS cost_usd,
        CAST(coalesce(json_extract(outcome, '$.usage.calls_of_unknown_cost'), 0) AS INTEGER) AS calls_of_unknown_cost,
        (SELECT json_group_array(json_object('overall', json_extract(one.value, '$.overall'), 'scores', json_extract(one.value, '$.scores')))
            FROM json_each(outcome, '$.iterations') one) AS iterations,
        (SELECT json_group_array(json_array(severity, code, count))
            FROM (SELECT json_extract(one.value, '$.severity') AS severity, json_extract(one.value, '$.code') AS code, count(*) AS count
                FROM json_each(outcome, '$.best_validation.issues') one GROUP BY 1, 2)) AS issues
        FROM outcomes o WHERE json_valid(outcome);
    CREATE TRIGGER figures_of_an_outcome AFTER INSERT ON outcomes BEGIN
        INSERT OR REPLACE INTO figures (document, ended_ms, final_status, stop_reason, review, overall, iteration_count, improvement,
                elapsed_ms, calls, tokens, cost_usd, calls_of_unknown_cost, iterations, issues)
            SELECT document, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), final_status, stop_reason, review, overall,
                iteration_count, improvement, elapsed_ms, calls, tokens, cost_usd, calls_of_unknown_cost, iterations, issues
            FROM read_figures WHERE document = new.document;
    END;
    INSERT INTO figures (document, final_status, stop_reason, review, overall, iteration_count, improvement,
            elapsed_ms, calls, tokens, cost_usd, calls_of_unknown_cost, iterations, issues)
        SELECT document, final_status, stop_reason, review, overall, iteration_count, improvement,
            elapsed_ms, calls, tokens, cost_usd, calls_of_unknown_cost, iterations, issues
        FROM read_figures;
",
    // Requests to the service are looked up, instead of all runs being read for them.
    "
    ALTER TABLE runs ADD COLUMN request TEXT;
    UPDATE runs SET request = json_extract(settings, '$.service') WHERE json_valid(settings);
    CREATE INDEX runs_by_request ON runs (request) WHERE request IS NOT NULL;
",
];

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
    let from = version(&upgrade, path)?;
    let done = usize::try_from(from).unwrap_or(usize::MAX);
    for step in STEPS.iter().skip(done) {
        upgrade.execute_batch(step).map_err(sqlite)?;
    }
    upgrade.execute("UPDATE format SET version = ?1", [FORMAT_VERSION]).map_err(sqlite)?;
    upgrade.pragma_update(None, "application_id", APPLICATION_ID).map_err(sqlite)?;
    upgrade.commit().map_err(sqlite)
}

/// The format of the file, 0 if it is empty.
fn version(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    let path = path.to_path_buf();
    match find(connection).map_err(|error| StoreError::sqlite(&path, &error))? {
        FileFormat::Empty => Ok(0),
        FileFormat::Format(found) if (1..=FORMAT_VERSION).contains(&found) => Ok(found),
        FileFormat::Format(found) if found > FORMAT_VERSION => {
            Err(StoreError::NewerFormat { path, found, supported: FORMAT_VERSION })
        }
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
    use super::super::{DocumentStage, Entry, EventLog, Journal, NewReview, RunId};
    use super::*;
    use crate::value::{DocumentId, Millis};
    use proptest::prelude::*;
    use serde_json::json;
    use std::path::PathBuf;
    use std::sync::LazyLock;

    /// The journal of each release, as `sqlite3 journal.sqlite .dump` shows it. Never edited; each format adds one.
    const WRITTEN: [&str; 5] = [
        include_str!("formats/v1.sql"),
        include_str!("formats/v2.sql"),
        include_str!("formats/v3.sql"),
        include_str!("formats/v4.sql"),
        include_str!("formats/v5.sql"),
    ];

    fn happened(payload: &serde_json::Value) -> Entry {
        Entry::Happened { seq: 1, at: Millis(1), kind: "k".into(), payload: payload.to_string() }
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
        assert_eq!(WRITTEN.len(), usize::try_from(FORMAT_VERSION).unwrap());
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
            assert_eq!(reviews.len(), usize::from(n >= 2), "{n}");
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
        assert_eq!(shown, format!("the journal `{name}` has format 7; this release reads formats up to 5"));
        assert!(error.help().contains("later"));
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
            let filler = Entry::Happened { seq, at: Millis(1), kind: "k".into(), payload };
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
