-- How often an attempt with each model passes, by role and complexity of the task, with its cost. Attempts lost to infrastructure failures are left out.
WITH attempts AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM cascade_attempts
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
)
SELECT
  model,
  role,
  complexity,
  count(*) AS attempts,
  count_if(success) AS wins,
  round(cast(count_if(success) AS double) / count(*), 4) AS win_rate,
  round(avg(cost_usd), 4) AS average_cost_usd
FROM attempts
WHERE copy = 1
  AND outcome NOT IN ('infra_failed', 'expired', 'cancelled')
GROUP BY model, role, complexity
ORDER BY attempts DESC, model, role, complexity
