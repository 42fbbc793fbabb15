-- A journal as format 6 writes it, with a run of the service. Never edited: a test reads it for as long as there is loopctl.
PRAGMA application_id = 1819242352;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE access_log (
    number INTEGER PRIMARY KEY,
    at     TEXT NOT NULL,
    name   TEXT NOT NULL,
    method TEXT NOT NULL,
    path   TEXT NOT NULL,
    status INTEGER NOT NULL,
    detail TEXT
) STRICT;
INSERT INTO "access_log" VALUES(1,'2026-02-01T08:00:00Z','lab','POST','/api/jobs',202,NULL);
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
INSERT INTO "access_tokens" VALUES(1,X'00112233','token','lab','submit','2026-02-01T07:00:00Z',NULL,NULL);
CREATE TABLE answers (
    number   INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (number),
    call     TEXT NOT NULL,
    question BLOB NOT NULL,
    answer   BLOB NOT NULL,
    UNIQUE (document, call)
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
CREATE TABLE documents (
    number        INTEGER PRIMARY KEY,
    run           INTEGER NOT NULL REFERENCES runs (number),
    id            TEXT NOT NULL,
    document_type TEXT NOT NULL,
    source_digest TEXT NOT NULL,
    path          TEXT,
    place         BLOB,
    source        TEXT,
    artifact      INTEGER,
    state         INTEGER NOT NULL DEFAULT 0,
    worker        INTEGER REFERENCES workers (number),
    attempts      INTEGER NOT NULL DEFAULT 0,
    crashes       INTEGER NOT NULL DEFAULT 0,
    reason        TEXT,
    UNIQUE (run, id)
) STRICT;
INSERT INTO "documents" VALUES(1,1,'report-1','pathology','s1','in/report-1.txt',NULL,NULL,NULL,2,NULL,1,0,NULL);
INSERT INTO "documents" VALUES(2,1,'report-2','unknown','s2',NULL,NULL,NULL,NULL,4,NULL,1,0,NULL);
CREATE TABLE events (
    number   INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (number),
    seq      INTEGER NOT NULL,
    at_ms    INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    payload  TEXT NOT NULL
) STRICT;
INSERT INTO "events" VALUES(1,1,0,0,'started','{}');
INSERT INTO "events" VALUES(2,1,1,12,'assessed','{"overall":0.985,"issues":[]}');
INSERT INTO "events" VALUES(3,2,0,20,'started','{}');
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
INSERT INTO "figures" VALUES(1,1,NULL,'passed',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,'[]','[]');
CREATE TABLE format (version INTEGER NOT NULL) STRICT;
INSERT INTO "format" VALUES(6);
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
INSERT INTO "jobs" VALUES(1,'j1','lab','k1','d1','2026-02-01T08:00:00Z','{"filename":"report-1.txt"}',NULL);
CREATE TABLE leases (
    document INTEGER PRIMARY KEY REFERENCES documents (number),
    reviewer TEXT NOT NULL,
    until_ms INTEGER NOT NULL
) STRICT;
INSERT INTO "leases" VALUES(1,'a.meyer',1769936400000);
CREATE TABLE names (
    number INTEGER PRIMARY KEY,
    folder TEXT NOT NULL,
    key    TEXT NOT NULL,
    name   TEXT NOT NULL,
    place  BLOB NOT NULL,
    UNIQUE (folder, key),
    UNIQUE (folder, place)
) STRICT;
CREATE TABLE outcomes (
    document INTEGER PRIMARY KEY REFERENCES documents (number),
    outcome  TEXT NOT NULL
) STRICT;
INSERT INTO "outcomes" VALUES(1,'{"final_status":"passed"}');
CREATE TABLE review_shares (
    run    INTEGER PRIMARY KEY REFERENCES runs (number),
    audit  REAL NOT NULL,
    second REAL NOT NULL
) STRICT;
INSERT INTO "review_shares" VALUES(1,0.02,0.1);
CREATE TABLE reviews (
    number   INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (number),
    at       TEXT NOT NULL,
    reviewer TEXT NOT NULL,
    decision TEXT NOT NULL
) STRICT;
INSERT INTO "reviews" VALUES(1,1,'2026-02-01T09:30:00Z','a.meyer','{"field":"margins","action":"edit","before":"negative","after":"positive","shown":"c1"}');
CREATE TABLE runs (
    number          INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    started_at      TEXT NOT NULL,
    finished_at     TEXT,
    profile         TEXT NOT NULL,
    profile_digest  TEXT NOT NULL,
    loopctl_version TEXT NOT NULL,
    plugins         TEXT NOT NULL,
    settings        TEXT NOT NULL,
    state           INTEGER NOT NULL DEFAULT 0,
    listed          INTEGER NOT NULL DEFAULT 0,
    request         TEXT
) STRICT;
INSERT INTO "runs" VALUES(1,'20260131T120000Z-0001','2026-01-31T12:00:00Z',NULL,'clinical','d1','0.1.0','[{"name":"pattern","version":"0.1.0"}]','{"out":"out"}',0,0,NULL);
INSERT INTO "runs" VALUES(2,'20260201T120000Z-0002','2026-02-01T12:00:00Z',NULL,'clinical','d1','0.1.0','[]','{"service":{"name":"clinical","settings":[]}}',0,1,'{"name":"clinical","settings":[]}');
CREATE TABLE service_settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
INSERT INTO "service_settings" VALUES('alerts','{}');
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
CREATE INDEX runs_by_request ON runs (request) WHERE request IS NOT NULL;
CREATE UNIQUE INDEX documents_by_place ON documents (run, place) WHERE place IS NOT NULL;
CREATE INDEX documents_by_state ON documents (run, state);
CREATE INDEX batch_lines_by_batch ON batch_lines (batch) WHERE batch IS NOT NULL;
CREATE UNIQUE INDEX events_by_document ON events (document, seq);
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are never removed'); END;
CREATE INDEX reviews_by_document ON reviews (document);
CREATE TRIGGER reviews_are_never_changed BEFORE UPDATE ON reviews
    BEGIN SELECT RAISE(ABORT, 'reviews are never changed'); END;
CREATE TRIGGER reviews_are_never_removed BEFORE DELETE ON reviews
    BEGIN SELECT RAISE(ABORT, 'reviews are never removed'); END;
CREATE TRIGGER review_shares_are_never_changed BEFORE UPDATE ON review_shares
    BEGIN SELECT RAISE(ABORT, 'review shares are never changed'); END;
CREATE TRIGGER access_log_is_never_changed BEFORE UPDATE ON access_log
    BEGIN SELECT RAISE(ABORT, 'the access log is never changed'); END;
CREATE TRIGGER access_log_is_never_removed BEFORE DELETE ON access_log
    BEGIN SELECT RAISE(ABORT, 'nothing is removed from the access log'); END;
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
COMMIT;
