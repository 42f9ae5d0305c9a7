-- Gates that reviewers overruled: how often work that a gate blocked was approved, the most often overruled gate first.
WITH
  asked AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM reviews
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar) AND decision IS NOT NULL
),
  gates AS (
  SELECT *, row_number() OVER (PARTITION BY record_id ORDER BY dt) AS copy
  FROM quality_gates
  WHERE dt >= cast(cast(current_date - INTERVAL '30' DAY AS date) AS varchar)
),
  objections AS (
    SELECT gates.gate, asked.task_id, asked.decision
    FROM asked
    JOIN gates ON gates.task_id = asked.task_id AND gates.attempt = asked.attempt AND gates.copy = 1
    WHERE asked.copy = 1 AND gates.outcome <> 'passed' AND gates.outcome <> 'skipped'
      AND (gates.required OR gates.result = 'blocked')
  )
SELECT
  gate,
  count(*) AS objections,
  count_if(decision = 'approve') AS overruled,
  round(cast(count_if(decision = 'approve') AS double) / count(*), 4) AS overruled_share
FROM objections
GROUP BY gate
ORDER BY overruled DESC, gate
