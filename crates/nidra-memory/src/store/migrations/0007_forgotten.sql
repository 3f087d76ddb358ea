-- What the user asked to be forgotten: fingerprints under a key of this database, never words. Records are hashes of the
-- records that said it. Rows go when the run is undone; a lifted one lets its statement come back.
CREATE TABLE forgetting_key (
    id  INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    key BLOB    NOT NULL
) STRICT;
INSERT INTO forgetting_key (id, key) VALUES (1, randomblob(32));

CREATE TABLE forgotten (
    number      INTEGER PRIMARY KEY,
    project     TEXT    NOT NULL,
    at          INTEGER NOT NULL,
    fingerprint TEXT    NOT NULL CHECK (json_valid(fingerprint)),
    records     TEXT    NOT NULL CHECK (json_valid(records)),
    run         TEXT    NOT NULL REFERENCES run (id),
    purged      INTEGER NOT NULL DEFAULT 0,
    lifted_by   TEXT REFERENCES run (id)
) STRICT;
CREATE INDEX forgotten_by_project ON forgotten (project);
CREATE INDEX forgotten_by_run ON forgotten (run);

-- Words that are to be removed from everything that nidra keeps, until that is done; then the row holds none and goes.
CREATE TABLE purge (
    project TEXT    NOT NULL PRIMARY KEY,
    run     TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    work    TEXT    NOT NULL CHECK (json_valid(work))
) STRICT, WITHOUT ROWID;

-- How often agents loaded or recalled entries, as the sessions that a run read show. No evidence of truth. Rows go when
-- their run is undone, because its sessions are read again then.
CREATE TABLE entry_use (
    project  TEXT    NOT NULL,
    entry    TEXT    NOT NULL,
    run      TEXT    NOT NULL REFERENCES run (id),
    loaded   INTEGER NOT NULL,
    recalled INTEGER NOT NULL,
    last     INTEGER NOT NULL,
    PRIMARY KEY (project, entry, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_use_by_run ON entry_use (run);
