-- What was sent to models: where, when, how much, at what cost, and by which hash it is known; never the text.
-- A row is written before its call, with what it may cost at most, and completed after it.
CREATE TABLE model_call (
    id                 INTEGER PRIMARY KEY,
    project            TEXT NOT NULL,
    run                TEXT,
    at                 INTEGER NOT NULL,
    provider           TEXT NOT NULL,
    model              TEXT NOT NULL,
    host               TEXT NOT NULL,
    local              INTEGER NOT NULL,
    request_hash       TEXT NOT NULL,
    request_bytes      INTEGER NOT NULL,
    items              INTEGER NOT NULL,
    outcome            TEXT NOT NULL,
    reply_hash         TEXT,
    reply_bytes        INTEGER NOT NULL,
    input_tokens       INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    cache_read_tokens  INTEGER NOT NULL,
    output_tokens      INTEGER NOT NULL,
    cost               INTEGER NOT NULL,
    milliseconds       INTEGER NOT NULL
) STRICT;
CREATE INDEX model_call_by_time ON model_call (at);
