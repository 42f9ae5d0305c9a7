-- Gates that passed in every run with a result, and the seconds that they took.
WITH gates AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM quality_gates
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
)
SELECT
  gate,
  count(*) AS runs,
  count_if(outcome = 'passed') AS passed,
  round(sum(duration_ms) / 1000.0, 1) AS seconds
FROM gates
WHERE copy = 1
GROUP BY gate
HAVING count_if(outcome = 'failed') = 0 AND count_if(outcome = 'passed') > 0
ORDER BY seconds DESC, gate
