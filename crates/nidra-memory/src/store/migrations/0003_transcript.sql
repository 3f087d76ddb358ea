-- What the beginning of a transcript says, so that no look at the sessions opens all of them again.
CREATE TABLE transcript (
    path      ANY     NOT NULL PRIMARY KEY,
    directory ANY     NOT NULL,
    headless  INTEGER,
    own       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
