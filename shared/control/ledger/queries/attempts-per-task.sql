-- Number of attempts per task, and how many tasks with that number completed.
WITH chains AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM cascade_chains
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
)
SELECT
  cardinality(attempts) AS attempts,
  count(*) AS tasks,
  count_if(succeeded) AS succeeded,
  round(avg(total_cost_usd), 4) AS average_cost_usd
FROM chains
WHERE copy = 1
GROUP BY cardinality(attempts)
ORDER BY attempts
