-- What is being worked on: tasks by the user's own words, their open and taken decisions, topics of the talk, and how
-- often the heartbeat looked. A round is one look of the heartbeat, or `task stale`.
CREATE TABLE task (
    project   TEXT    NOT NULL,
    id        TEXT    NOT NULL,
    goal      TEXT    NOT NULL,
    next_step TEXT    NOT NULL,
    state     TEXT    NOT NULL,
    stale     INTEGER NOT NULL DEFAULT 0,
    created   INTEGER NOT NULL,
    changed   INTEGER NOT NULL,
    closed    INTEGER,
    outcome   TEXT,
    PRIMARY KEY (project, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_by_state ON task (project, state, changed);

CREATE TABLE task_decision (
    project      TEXT    NOT NULL,
    task         TEXT    NOT NULL,
    number       INTEGER NOT NULL,
    question     TEXT    NOT NULL,
    asked        INTEGER NOT NULL,
    rounds       INTEGER NOT NULL DEFAULT 0,
    choice       TEXT,
    reason       TEXT,
    alternatives TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(alternatives)),
    decided      INTEGER,
    PRIMARY KEY (project, task, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_decision_open ON task_decision (project, task) WHERE decided IS NULL;

-- What happened to a task, in its order: steps done, notes, changes of state.
CREATE TABLE task_event (
    project TEXT    NOT NULL,
    task    TEXT    NOT NULL,
    number  INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    kind    TEXT    NOT NULL,
    text    TEXT    NOT NULL,
    PRIMARY KEY (project, task, number)
) STRICT, WITHOUT ROWID;

-- Entries of memory that a task has to do with.
CREATE TABLE task_link (
    project TEXT NOT NULL,
    task    TEXT NOT NULL,
    entry   TEXT NOT NULL,
    PRIMARY KEY (project, task, entry)
) STRICT, WITHOUT ROWID;

CREATE TABLE topic (
    project TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    state   TEXT    NOT NULL,
    created INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    PRIMARY KEY (project, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_by_state ON topic (project, state, changed);

CREATE TABLE working_round (
    project TEXT    NOT NULL PRIMARY KEY,
    number  INTEGER NOT NULL,
    at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Snapshots of memory that were taken by themselves or asked for, beside those of runs.
CREATE TABLE snapshot (
    project TEXT    NOT NULL,
    object  TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    cause   TEXT    NOT NULL,
    PRIMARY KEY (project, at, object)
) STRICT, WITHOUT ROWID;
