-- Records that were written more than once under one record_id by repeated deliveries; every other query counts them once.
SELECT 'tasks' AS record_table, record_id, min(dt) AS first_dt, count(*) AS copies
FROM tasks GROUP BY record_id HAVING count(*) > 1
UNION ALL
SELECT 'quality_gates' AS record_table, record_id, min(dt) AS first_dt, count(*) AS copies
FROM quality_gates GROUP BY record_id HAVING count(*) > 1
UNION ALL
SELECT 'judgements' AS record_table, record_id, min(dt) AS first_dt, count(*) AS copies
FROM judgements GROUP BY record_id HAVING count(*) > 1
UNION ALL
SELECT 'completion_signals' AS record_table, record_id, min(dt) AS first_dt, count(*) AS copies
FROM completion_signals GROUP BY record_id HAVING count(*) > 1
UNION ALL
SELECT 'cascade_chains' AS record_table, record_id, min(dt) AS first_dt, count(*) AS copies
FROM cascade_chains GROUP BY record_id HAVING count(*) > 1
UNION ALL
SELECT 'cascade_attempts' AS record_table, record_id, min(dt) AS first_dt, count(*) AS copies
FROM cascade_attempts GROUP BY record_id HAVING count(*) > 1
UNION ALL
SELECT 'reviews' AS record_table, record_id, min(dt) AS first_dt, count(*) AS copies
FROM reviews GROUP BY record_id HAVING count(*) > 1
UNION ALL
SELECT 'verification_nudges' AS record_table, record_id, min(dt) AS first_dt, count(*) AS copies
FROM verification_nudges GROUP BY record_id HAVING count(*) > 1
ORDER BY record_table, record_id
