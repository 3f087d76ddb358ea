-- What a run did to an entry, which entry it had been before, and what the person's turn showed of their feeling.
-- Rows of before say nothing of the kind; they count as statements.
ALTER TABLE entry_source ADD COLUMN relation TEXT NOT NULL DEFAULT 'states';
ALTER TABLE entry_source ADD COLUMN predecessor TEXT;
ALTER TABLE entry_source ADD COLUMN affect TEXT NOT NULL DEFAULT '';

-- What was archived, with the words that it rested on: those alone do not bring it back. Rows go when their run is undone.
CREATE TABLE tombstone (
    project  TEXT NOT NULL REFERENCES project (id),
    entry    TEXT NOT NULL,
    path     TEXT NOT NULL,
    text     TEXT NOT NULL,
    evidence TEXT NOT NULL CHECK (json_valid(evidence)),
    run      TEXT NOT NULL REFERENCES run (id),
    PRIMARY KEY (project, entry, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstone_by_run ON tombstone (run);
