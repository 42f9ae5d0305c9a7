-- Cost by repository and day, with attempts and completed tasks. Attempts of unknown cost are counted, not summed.
WITH attempts AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM cascade_attempts
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
)
SELECT
  dt,
  repository,
  count(DISTINCT task_id) AS tasks,
  count(DISTINCT CASE WHEN task_succeeded THEN task_id END) AS succeeded,
  count(*) AS attempts,
  round(sum(cost_usd), 4) AS cost_usd,
  count_if(cost_usd IS NULL) AS cost_unknown
FROM attempts
WHERE copy = 1
GROUP BY dt, repository
ORDER BY dt DESC, repository
