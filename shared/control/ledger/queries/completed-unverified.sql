-- Tasks that completed without verification, newest first, with the evidence from tests, gates and signals that existed.
WITH
  completions AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM verification_nudges
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar) AND NOT verified
),
  ends AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM tasks
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar) AND status = 'done'
)
SELECT
  completions.task_id,
  ends.repository,
  ends.role,
  ends.model,
  ends.timestamp AS done_at,
  completions.tests_run,
  completions.quality_gates_run,
  completions.completion_signals_checked
FROM completions
LEFT JOIN ends ON ends.task_id = completions.task_id AND ends.copy = 1
WHERE completions.copy = 1
ORDER BY done_at DESC, completions.task_id
