-- What a project's repository is known by wherever it lies, so that a memory is found again after a move; and the
-- project that took the memory over.
ALTER TABLE project ADD COLUMN repository TEXT;
ALTER TABLE project ADD COLUMN adopted_by TEXT REFERENCES project (id);
