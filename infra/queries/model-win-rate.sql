-- How often an attempt on each model is accepted, by role and complexity of the task, with its cost. Attempts that the infrastructure lost are left out.
WITH chains AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM cascade_chains
  WHERE dt >= cast(current_date - INTERVAL '30' DAY AS varchar)
)
SELECT
  attempt.model,
  role,
  complexity,
  count(*) AS attempts,
  count_if(attempt.success) AS wins,
  round(cast(count_if(attempt.success) AS double) / count(*), 4) AS win_rate,
  round(avg(attempt.cost_usd), 4) AS average_cost_usd
FROM chains
-- Athena takes rows apart when it unnests them; wrapped in another row, an attempt stays one column.
CROSS JOIN UNNEST(transform(attempts, each -> ROW(each))) AS unnested (attempt)
WHERE copy = 1
  AND attempt.outcome NOT IN ('infra_failed', 'expired', 'cancelled')
GROUP BY attempt.model, role, complexity
ORDER BY attempts DESC
