-- Open tasks are few among all and are asked for by every command: what is wanted of them stands side by side in an index,
-- instead of one page for each.
DROP INDEX task_by_state;
CREATE INDEX task_open ON task (
    project, id, goal, next_step, state, stale, since, created, changed, closed, outcome
) WHERE state = 'open';
CREATE INDEX task_closed ON task (project, changed) WHERE state = 'closed';

-- The decisions that were taken last.
CREATE INDEX task_decision_taken ON task_decision (project, decided DESC, task, number) WHERE decided IS NOT NULL;
