-- Pass rate of each gate by the version of its tool; it shows upgrades that change verdicts.
WITH gates AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM quality_gates
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
)
SELECT
  gate,
  tool,
  tool_version,
  min(timestamp) AS first_time,
  count_if(outcome IN ('passed', 'failed')) AS results,
  round(cast(count_if(outcome = 'passed') AS double)
    / nullif(count_if(outcome IN ('passed', 'failed')), 0), 4) AS pass_rate
FROM gates
WHERE copy = 1 AND tool IS NOT NULL
GROUP BY gate, tool, tool_version
ORDER BY gate, tool, first_time, tool_version
