-- Share of completions without verification, by day.
WITH completions AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM verification_nudges
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
)
SELECT
  dt,
  count(*) AS total,
  count_if(NOT verified) AS unverified,
  round(cast(count_if(NOT verified) AS double) / count(*), 4) AS unverified_ratio,
  count_if(tests_run) AS with_tests,
  count_if(quality_gates_run) AS with_gates,
  count_if(completion_signals_checked) AS with_signals
FROM completions
WHERE copy = 1
GROUP BY dt
ORDER BY dt DESC
