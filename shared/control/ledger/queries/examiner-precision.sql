-- Precision of examiners and challengers by repository and model over the last 90 days: decisions of adjudicators and reviewers on failures, coverage of requirements, and cost.
WITH
  independent AS (
    SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
    FROM quality_gates
    WHERE dt >= cast(cast(current_date - INTERVAL '90' DAY AS date) AS varchar)
      AND gate IN ('acceptance_tests', 'challenge')
  ),
  task_records AS (
    SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
    FROM tasks
    WHERE dt >= cast(cast(current_date - INTERVAL '120' DAY AS date) AS varchar)
  ),
  places AS (
    SELECT task_id, max(repository) AS repository
    FROM task_records
    WHERE copy = 1
    GROUP BY task_id
  ),
  review_records AS (
    SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
    FROM reviews
    WHERE dt >= cast(cast(current_date - INTERVAL '90' DAY AS date) AS varchar)
      AND decision IS NOT NULL
  ),
  decided AS (
    SELECT task_id, attempt, count_if(decision = 'approve') > 0 AS approved, count_if(decision = 'reject') > 0 AS rejected
    FROM review_records
    WHERE copy = 1
    GROUP BY task_id, attempt
  ),
  outcome_records AS (
    SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
    FROM work_outcomes
    WHERE dt >= cast(cast(current_date - INTERVAL '90' DAY AS date) AS varchar)
      AND outcome IN ('reverted', 'reopened')
  ),
  undone AS (
    SELECT task_id, attempt, true AS reverted
    FROM outcome_records
    WHERE copy = 1
    GROUP BY task_id, attempt
  ),
  verdicts AS (
    SELECT
      independent.gate,
      places.repository,
      coalesce(independent.tool_version, 'no model') AS model,
      independent.outcome,
      coalesce(decided.approved, false) AS approved,
      coalesce(decided.rejected, false) OR coalesce(undone.reverted, false) AS rejected,
      try_cast(element_at(independent.facts, 'upheld') AS bigint) AS upheld,
      try_cast(element_at(independent.facts, 'not_demanded') AS bigint) AS not_demanded,
      try_cast(element_at(independent.facts, 'requirements') AS bigint) AS requirements,
      try_cast(element_at(independent.facts, 'requirements_tested') AS bigint) AS tested,
      try_cast(element_at(independent.facts, 'cost_usd') AS double) AS cost_usd,
      coalesce(element_at(independent.facts, 'exam_reused'), 'false') = 'true' AS reused
    FROM independent
    LEFT JOIN places ON places.task_id = independent.task_id
    LEFT JOIN decided ON decided.task_id = independent.task_id AND decided.attempt = independent.attempt
    LEFT JOIN undone ON undone.task_id = independent.task_id AND undone.attempt = independent.attempt
    WHERE independent.copy = 1
  )
SELECT
  gate,
  repository,
  model,
  count(*) AS verdicts,
  count_if(outcome = 'failed') AS failed,
  count_if(outcome NOT IN ('passed', 'failed', 'skipped')) AS no_result,
  sum(upheld) AS upheld,
  sum(not_demanded) AS not_demanded,
  round(cast(sum(upheld) AS double) / nullif(sum(upheld) + sum(not_demanded), 0), 4) AS adjudicated_precision,
  count_if(outcome = 'failed' AND rejected) AS confirmed,
  count_if(outcome = 'failed' AND approved AND NOT rejected) AS overruled,
  round(cast(count_if(outcome = 'failed' AND rejected) AS double)
    / nullif(count_if(outcome = 'failed' AND (rejected OR approved)), 0), 4) AS reviewed_precision,
  count_if(outcome IN ('passed', 'skipped') AND rejected) AS missed,
  round(cast(sum(tested) AS double) / nullif(sum(requirements), 0), 4) AS coverage,
  count_if(reused) AS reused,
  round(sum(cost_usd), 4) AS cost_usd,
  round(sum(cost_usd) / count(*), 6) AS cost_per_verdict_usd
FROM verdicts
GROUP BY gate, repository, model
ORDER BY gate, repository, model
