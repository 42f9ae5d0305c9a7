-- Hours that tasks spent in each status.
WITH
  changes AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM tasks
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
),
  spans AS (
    SELECT previous_status AS status,
      (age_ms - coalesce(lag(age_ms) OVER (PARTITION BY task_id ORDER BY version), 0)) / 1000.0 AS seconds
    FROM changes
    WHERE copy = 1
  )
SELECT
  status,
  count(*) AS times,
  round(approx_percentile(seconds, 0.5), 1) AS p50_s,
  round(approx_percentile(seconds, 0.9), 1) AS p90_s,
  round(sum(seconds) / 3600.0, 2) AS sum_h
FROM spans
WHERE status IS NOT NULL
GROUP BY status
ORDER BY sum_h DESC, status
