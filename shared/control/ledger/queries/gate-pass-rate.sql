-- How often each gate passes, fails or could not run, over the last 30 days. Runs without a result do not count in the pass rate.
WITH gates AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM quality_gates
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
)
SELECT
  gate,
  count(*) AS runs,
  count_if(outcome = 'passed') AS passed,
  count_if(outcome = 'failed') AS failed,
  count_if(outcome NOT IN ('passed', 'failed')) AS without_result,
  round(cast(count_if(outcome = 'passed') AS double)
    / nullif(count_if(outcome IN ('passed', 'failed')), 0), 4) AS pass_rate,
  count_if(cached) AS cached
FROM gates
WHERE copy = 1
GROUP BY gate
ORDER BY pass_rate
