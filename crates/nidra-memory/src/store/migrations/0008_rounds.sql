-- A round writes one row instead of one for each task and decision: those that grow older name the round from which they
-- count, and those that rest (NULL) keep the rounds that they had come to in `stale` and `rounds`.
ALTER TABLE task ADD COLUMN since INTEGER;
UPDATE task SET since =
    coalesce((SELECT number FROM working_round WHERE working_round.project = task.project), 0) - stale
WHERE state = 'open';

ALTER TABLE task_decision ADD COLUMN since INTEGER;
UPDATE task_decision SET since =
    coalesce((SELECT number FROM working_round WHERE working_round.project = task_decision.project), 0) - rounds
WHERE decided IS NULL
  AND EXISTS (SELECT 1 FROM task
              WHERE task.project = task_decision.project AND task.id = task_decision.task AND task.state = 'open');
