-- Gates by duration: median, 90th percentile and sum in seconds of runs that were not cached, and how often a gate timed out.
WITH gates AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM quality_gates
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar) AND NOT cached
)
SELECT
  gate,
  count(*) AS runs,
  round(approx_percentile(duration_ms, 0.5) / 1000.0, 2) AS p50_s,
  round(approx_percentile(duration_ms, 0.9) / 1000.0, 2) AS p90_s,
  round(sum(duration_ms) / 1000.0, 1) AS sum_s,
  count_if(outcome = 'timed_out') AS timed_out
FROM gates
WHERE copy = 1
GROUP BY gate
ORDER BY sum_s DESC, gate
