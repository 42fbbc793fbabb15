-- A journal as the first release (format 1) wrote it. Never edited: a test reads it for as long as there is loopctl.
PRAGMA application_id = 1819242352;
BEGIN;
CREATE TABLE format (version INTEGER NOT NULL) STRICT;
INSERT INTO format (version) VALUES (1);

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

INSERT INTO runs VALUES (1, '20260131T120000Z-0001', '2026-01-31T12:00:00Z', NULL, 'clinical', 'd1', '0.1.0',
    '[{"name":"pattern","version":"0.1.0"}]', '{"out":"out"}');
INSERT INTO documents VALUES (1, 1, 'report-1', 'pathology', 's1', 'in/report-1.txt');
INSERT INTO documents VALUES (2, 1, 'report-2', 'unknown', 's2', NULL);
INSERT INTO events VALUES (1, 0, 0, 'started', '{}');
INSERT INTO events VALUES (1, 1, 12, 'assessed', '{"overall":0.985,"issues":[]}');
INSERT INTO events VALUES (2, 0, 20, 'started', '{}');
INSERT INTO outcomes VALUES (1, '{"final_status":"passed"}');
COMMIT;
