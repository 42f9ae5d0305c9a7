-- Files with rejected attempts, reverted work and findings, the worst first.
WITH touches AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM file_touches
  WHERE dt >= cast(cast(current_date - INTERVAL '90' DAY AS date) AS varchar)
)
SELECT
  repository,
  path,
  count_if(outcome <> 'reverted') AS attempts,
  count_if(outcome = 'rejected') AS rejected,
  count_if(outcome = 'reverted') AS reverted,
  sum(CASE WHEN outcome <> 'reverted' THEN findings ELSE 0 END) AS findings,
  max(flaky_tests) AS flaky_tests,
  max(timestamp) AS last_time
FROM touches
WHERE copy = 1
GROUP BY repository, path
ORDER BY count_if(outcome <> 'accepted') DESC, findings DESC, repository, path
