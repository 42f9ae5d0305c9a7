-- Work that went to a stronger model, by role, complexity and the model before, with the reason and the cost of the attempts before.
WITH attempts AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM cascade_attempts
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
)
SELECT
  role,
  complexity,
  model,
  escalation_reason AS reason,
  count(*) AS escalations,
  round(sum(cost_usd), 4) AS cost_usd,
  count_if(task_succeeded) AS tasks_that_succeeded_in_the_end
FROM attempts
WHERE copy = 1 AND escalated
GROUP BY role, complexity, model, escalation_reason
ORDER BY escalations DESC, role, complexity, model, reason
