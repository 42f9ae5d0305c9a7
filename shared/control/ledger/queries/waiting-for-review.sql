-- How long work waited for a review, by role: median, 90th percentile and maximum in hours, and the decisions.
WITH asked AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM reviews
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
)
SELECT
  role,
  count(*) AS times,
  count_if(decision = 'approve') AS approved,
  count_if(decision = 'reject') AS rejected,
  count_if(decision IS NULL) AS without_a_word,
  round(approx_percentile(waited_s, 0.5) / 3600.0, 2) AS p50_h,
  round(approx_percentile(waited_s, 0.9) / 3600.0, 2) AS p90_h,
  round(max(waited_s) / 3600.0, 2) AS longest_h
FROM asked
WHERE copy = 1
GROUP BY role
ORDER BY times DESC, role
