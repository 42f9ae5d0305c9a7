-- Cost, tokens and passed attempts by role and model.
WITH attempts AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM cascade_attempts
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
)
SELECT
  role,
  model,
  count(*) AS attempts,
  count_if(success) AS accepted,
  round(sum(cost_usd), 4) AS cost_usd,
  sum(tokens_used) AS tokens,
  count_if(cost_usd IS NULL) AS cost_unknown
FROM attempts
WHERE copy = 1
GROUP BY role, model
ORDER BY role, attempts DESC, model
