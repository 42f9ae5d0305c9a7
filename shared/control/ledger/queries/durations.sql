-- Duration of tasks from submission to end, of attempts and of gates: p50, p90 and p99 in seconds, over the last 30 days.
WITH
  ends AS (
    SELECT 'task' AS what, status AS name, age_ms / 1000.0 AS seconds,
      row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
    FROM tasks
    WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
      AND status IN ('done', 'failed', 'cancelled')
  ),
  attempts AS (
    SELECT 'attempt' AS what, model AS name, latency_s AS seconds,
      row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
    FROM cascade_attempts
    WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
      AND latency_s IS NOT NULL
  ),
  gates AS (
    SELECT 'gate' AS what, gate AS name, duration_ms / 1000.0 AS seconds,
      row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
    FROM quality_gates
    WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
      AND NOT cached
  ),
  durations AS (
    SELECT what, name, seconds FROM ends WHERE copy = 1
    UNION ALL
    SELECT what, name, seconds FROM attempts WHERE copy = 1
    UNION ALL
    SELECT what, name, seconds FROM gates WHERE copy = 1
  )
SELECT
  what,
  name,
  count(*) AS n,
  round(approx_percentile(seconds, 0.5), 1) AS p50,
  round(approx_percentile(seconds, 0.9), 1) AS p90,
  round(approx_percentile(seconds, 0.99), 1) AS p99
FROM durations
GROUP BY what, name
ORDER BY what, n DESC, name
