-- Creates the view duplicate_records: records that were written more than once under the same record_id. Run it once; the view should be empty.
CREATE OR REPLACE VIEW duplicate_records AS
SELECT 'tasks' AS record_table, record_id, min(dt) AS first_dt, count(*) AS copies
FROM tasks GROUP BY record_id HAVING count(*) > 1
UNION ALL
SELECT 'quality_gates', record_id, min(dt), count(*)
FROM quality_gates GROUP BY record_id HAVING count(*) > 1
UNION ALL
SELECT 'judgements', record_id, min(dt), count(*)
FROM judgements GROUP BY record_id HAVING count(*) > 1
UNION ALL
SELECT 'cascade_chains', record_id, min(dt), count(*)
FROM cascade_chains GROUP BY record_id HAVING count(*) > 1
UNION ALL
SELECT 'verification_nudges', record_id, min(dt), count(*)
FROM verification_nudges GROUP BY record_id HAVING count(*) > 1
