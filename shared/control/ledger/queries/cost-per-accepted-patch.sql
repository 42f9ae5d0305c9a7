-- Cost of an accepted patch by the model that wrote it. All attempts of its task are counted, also those that failed before. Tasks of unknown cost are counted and left out of the sums.
WITH chains AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM cascade_chains
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
)
SELECT
  final_model AS model,
  count_if(succeeded) AS accepted,
  count_if(NOT succeeded) AS not_accepted,
  round(sum(total_cost_usd), 4) AS cost_usd,
  round(sum(total_cost_usd) / nullif(count_if(succeeded AND total_cost_usd IS NOT NULL), 0), 4) AS usd_per_accepted,
  count_if(total_cost_usd IS NULL) AS cost_unknown
FROM chains
WHERE copy = 1
GROUP BY final_model
ORDER BY accepted DESC, model
