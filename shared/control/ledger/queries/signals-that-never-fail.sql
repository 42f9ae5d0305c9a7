-- Completion signals that never failed in 30 days, those with the most runs first.
WITH signals AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM completion_signals
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
)
SELECT
  type,
  subject,
  count(*) AS runs,
  count_if(outcome = 'passed') AS passed,
  count_if(outcome NOT IN ('passed', 'failed')) AS without_result,
  max(timestamp) AS last_run
FROM signals
WHERE copy = 1
GROUP BY type, subject
HAVING count_if(outcome = 'failed') = 0
ORDER BY runs DESC, type, subject
