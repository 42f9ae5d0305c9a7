import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { type Derived, deriveRows, groupRows } from '../../shared/ledger/derive.ts';
import { METRICS, objectKey } from '../../shared/names.ts';
import { sha256 } from '../../shared/tokens.ts';
import { tierModels } from '../kit/config.ts';
import { objects as objectStore } from '../kit/objects.ts';
import { images } from '../kit/stream.ts';

const objects = objectStore();
const models = tierModels();
const metrics = new Metrics({ namespace: METRICS.namespace, serviceName: METRICS.service });

/** Counts of what the rows tell. A re-delivered batch counts again: these are for dashboards; the alarm's counts are made once, by the conductor. */
function count(rows: readonly Derived[], referrals: number): void {
  const add = (name: string, value: number): void => {
    if (value > 0) metrics.addMetric(name, MetricUnit.Count, value);
  };
  const chains = rows.flatMap((each) => (each.table === 'cascade_chains' ? [each.row] : []));
  add(
    METRICS.attempts,
    chains.reduce((sum, row) => sum + row.attempts.length, 0),
  );
  add(
    METRICS.escalations,
    chains.reduce((sum, row) => sum + row.attempts.filter((attempt) => attempt.escalated).length, 0),
  );
  add(METRICS.failures, rows.filter((each) => each.table === 'tasks' && each.row.status === 'failed').length);
  add(
    METRICS.gatesInert,
    rows.filter((each) => each.table === 'quality_gates' && each.row.outcome === 'inert').length,
  );
  add(METRICS.referrals, referrals);
  const cost = chains.reduce((sum, row) => sum + (row.total_cost_usd ?? 0), 0);
  if (cost > 0) metrics.addMetric(METRICS.costUsd, MetricUnit.NoUnit, cost);
}

/** Writes what a batch of stream records tells as JSONL, one object per table and day. The name is made from the records, so a re-delivery writes the same object. */
export const handler = async (event: DynamoDBStreamEvent): Promise<void> => {
  const writes = event.Records.map(images);
  const rows = writes.flatMap(({ before, after }) => (after ? deriveRows(before, after, models) : []));
  const referrals = writes.filter(({ before, after }) => after?.hold && !before?.hold).length;
  const batch = sha256(
    event.Records.map((record) => record.eventID ?? record.dynamodb?.SequenceNumber ?? '').join('\n'),
  ).slice(0, 32);
  await Promise.all(
    groupRows(rows).map(({ table, date, body }) =>
      objects.put(objectKey.records(table, date, batch), body, 'application/x-ndjson'),
    ),
  );
  count(rows, referrals);
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
};
