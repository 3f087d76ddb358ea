-- Times are microseconds since 1970-01-01T00:00:00Z. Paths are text where they are UTF-8, else blobs.

CREATE TABLE project (
    id               TEXT    NOT NULL PRIMARY KEY,
    root             ANY     NOT NULL,
    memory_directory ANY     NOT NULL,
    first_seen       INTEGER NOT NULL
) STRICT;

-- How far each transcript was read by runs that were committed.
CREATE TABLE cursor (
    project     TEXT    NOT NULL REFERENCES project (id),
    path        ANY     NOT NULL,
    offset      INTEGER NOT NULL CHECK (offset >= 0),
    line        INTEGER NOT NULL CHECK (line >= 0),
    fingerprint TEXT    NOT NULL,
    PRIMARY KEY (project, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE run (
    id        TEXT    NOT NULL PRIMARY KEY,
    project   TEXT    NOT NULL REFERENCES project (id),
    started   INTEGER NOT NULL,
    finished  INTEGER,
    state     TEXT    NOT NULL,
    engine    TEXT    NOT NULL,
    trigger   TEXT    NOT NULL,
    plan_hash TEXT,
    counts    TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(counts)),
    report    TEXT    NOT NULL DEFAULT 'null' CHECK (json_valid(report)),
    error     TEXT,
    snapshot  TEXT,
    undoes    TEXT REFERENCES run (id),
    undone_by TEXT REFERENCES run (id),
    -- What the run found in the other tables, as JSON, so that an undo can put it back.
    before    TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(before))
) STRICT;
CREATE INDEX run_by_project ON run (project, started);

-- Hashes of the records that a committed run consumed; a copy in another file is not consumed again.
CREATE TABLE seen_record (
    project TEXT NOT NULL REFERENCES project (id),
    record  BLOB NOT NULL,
    run     TEXT NOT NULL REFERENCES run (id),
    PRIMARY KEY (project, record)
) STRICT, WITHOUT ROWID;
CREATE INDEX seen_record_by_run ON seen_record (run);

CREATE TABLE session_state (
    project       TEXT    NOT NULL REFERENCES project (id),
    session       TEXT    NOT NULL,
    state         TEXT    NOT NULL,
    reason        TEXT,
    path          ANY,
    last_activity INTEGER,
    tries         INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project, session)
) STRICT, WITHOUT ROWID;

CREATE TABLE file_change (
    run      TEXT    NOT NULL REFERENCES run (id),
    position INTEGER NOT NULL,
    path     TEXT    NOT NULL,
    before   TEXT,
    after    TEXT,
    PRIMARY KEY (run, path)
) STRICT, WITHOUT ROWID;

-- What each entry rests on. Rows are added by runs and go only when their run is undone.
CREATE TABLE entry_source (
    project  TEXT NOT NULL REFERENCES project (id),
    entry    TEXT NOT NULL,
    path     TEXT NOT NULL,
    evidence TEXT NOT NULL CHECK (json_valid(evidence)),
    rank     TEXT NOT NULL,
    run      TEXT NOT NULL REFERENCES run (id),
    PRIMARY KEY (project, entry, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_source_by_run ON entry_source (run);

CREATE TABLE plan (
    hash    TEXT    NOT NULL,
    project TEXT    NOT NULL REFERENCES project (id),
    base    TEXT    NOT NULL,
    created INTEGER NOT NULL,
    state   TEXT    NOT NULL,
    run     TEXT REFERENCES run (id),
    body    TEXT    NOT NULL CHECK (json_valid(body)),
    PRIMARY KEY (project, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE schedule (
    project         TEXT NOT NULL PRIMARY KEY REFERENCES project (id),
    last_success    INTEGER,
    last_attempt    INTEGER,
    last_scan       INTEGER,
    hold_until      INTEGER,
    interrupted_run TEXT
) STRICT, WITHOUT ROWID;
