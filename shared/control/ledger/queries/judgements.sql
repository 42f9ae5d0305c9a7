-- Judgements of models by kind and model, their effect on the verdict, and their cost, over the last 30 days. Unknown costs are counted, not summed.
WITH judged AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM judgements
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
)
SELECT
  kind,
  model,
  prompt_sha256,
  count(*) AS judgements,
  count_if(outcome = 'passed') AS said_yes,
  count_if(outcome = 'failed') AS said_no,
  count_if(outcome = 'skipped') AS not_asked,
  count_if(outcome NOT IN ('passed', 'failed', 'skipped')) AS without_answer,
  count_if(verdict = 'refer') AS referred,
  round(avg(confidence), 2) AS average_confidence,
  sum(input_tokens) AS input_tokens,
  sum(output_tokens) AS output_tokens,
  round(sum(cost_usd), 4) AS cost_usd,
  round(sum(cost_usd) / nullif(count_if(outcome IN ('passed', 'failed')), 0), 6) AS cost_per_answer_usd,
  count_if((calls > 0 OR calls IS NULL) AND cost_usd IS NULL) AS cost_unknown
FROM judged
WHERE copy = 1
GROUP BY kind, model, prompt_sha256
ORDER BY judgements DESC
