-- Failed tasks by failure code and role, with the time of the latest failure.
WITH ends AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM tasks
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar) AND status = 'failed'
)
SELECT
  coalesce(failure_code, 'unknown') AS failure_code,
  role,
  count(*) AS times,
  count(DISTINCT task_id) AS tasks,
  max(timestamp) AS last_time
FROM ends
WHERE copy = 1
GROUP BY coalesce(failure_code, 'unknown'), role
ORDER BY times DESC, failure_code, role
