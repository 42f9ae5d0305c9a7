-- Cost of the attempts of each task by day, and the saving over asking the top model at once; negative when the cascade cost more. Unknown costs are counted, not summed.
WITH chains AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM cascade_chains
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
)
SELECT
  dt,
  count(*) AS tasks,
  count_if(succeeded) AS succeeded,
  round(avg(cardinality(attempts)), 2) AS attempts_per_task,
  round(sum(total_cost_usd), 4) AS cost_usd,
  round(sum(escalation_overhead_usd), 4) AS escalation_overhead_usd,
  round(sum(saved_vs_direct_opus_usd), 4) AS saved_vs_direct_opus_usd,
  count_if(total_cost_usd IS NULL) AS cost_unknown
FROM chains
WHERE copy = 1
GROUP BY dt
ORDER BY dt DESC
