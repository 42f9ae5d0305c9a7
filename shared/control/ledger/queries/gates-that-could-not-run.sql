-- Gates without a result, by reason and installed tool versions: each is missing evidence.
WITH gates AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM quality_gates
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
)
SELECT
  gate,
  outcome,
  coalesce(tool, 'unknown') AS tool,
  count(*) AS runs,
  count(DISTINCT task_id) AS tasks,
  max(timestamp) AS last_time
FROM gates
WHERE copy = 1 AND outcome IN ('could_not_run', 'timed_out', 'infra_failed')
GROUP BY gate, outcome, coalesce(tool, 'unknown')
ORDER BY runs DESC, gate, outcome, tool
