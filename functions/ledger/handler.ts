import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { FUNCTION_ENV_NAMES, METRIC_NAMES, s3ObjectKeys } from '../../shared/contract/resource-names.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { deriveTaskEvents } from '../../shared/control/events/derive-events.ts';
import {
  derivePublishedRecordEvents,
  PublishedRecordTables,
} from '../../shared/control/events/record-events.ts';
import {
  addedModelCostUsd,
  CONTAINER_LOSS_REASONS,
  newContainerLosses,
} from '../../shared/control/ledger/container-losses.ts';
import {
  type DerivedRow,
  deriveRecordRows,
  groupRecordRowsByObject,
} from '../../shared/control/ledger/derive-rows.ts';
import { hasReviewGateFailedOpen } from '../../shared/control/ledger/judgement-rows.ts';
import { deriveRecordMetricsGroups } from '../../shared/control/metrics/record-metrics.ts';
import { sha256 } from '../../shared/lib/sha256.ts';
import { DailyMetricsStore } from '../../shared/store/daily-metrics.ts';
import { readOptionalEnv } from '../../shared/store/env.ts';
import { FileHealthStore } from '../../shared/store/file-health.ts';
import { readTierModels } from '../runtime/config.ts';
import { createEventPublisher } from '../runtime/event-publisher.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { createObjectStore } from '../runtime/object-store.ts';
import { openTable } from '../runtime/open-table.ts';
import { readStreamRecordTaskId, readTaskBeforeAndAfter } from '../runtime/stream-record.ts';

type Unit = (typeof MetricUnit)[keyof typeof MetricUnit];
interface Write {
  readonly before: Task | null;
  readonly after: Task | null;
}

const metrics = new Metrics({
  namespace: readOptionalEnv(FUNCTION_ENV_NAMES.metricsNamespace, METRIC_NAMES.namespace),
  serviceName: METRIC_NAMES.service,
});

/** How many of each loss; each is sent twice: for all together, which the alarm looks at, and by its reason. */
function countLosses(losses: readonly string[]): void {
  if (losses.length > 0) metrics.addMetric(METRIC_NAMES.lostContainers, MetricUnit.Count, losses.length);
  for (const reason of CONTAINER_LOSS_REASONS) {
    const found = losses.filter((loss) => loss === reason).length;
    if (found === 0) continue;
    const single = metrics.singleMetric();
    single.addDimension(METRIC_NAMES.reason, reason);
    single.addMetric(METRIC_NAMES.lostContainers, MetricUnit.Count, found);
  }
}

/**
 * Tells CloudWatch of what a batch of writes tells. A re-delivered batch counts again: these are for dashboards and for alarms where one
 * too many is no harm; the counts of the unverified alarm are made once, by the conductor.
 */
function publishWriteMetrics(writes: readonly Write[], rows: readonly DerivedRow[]): void {
  const add = (name: string, value: number, unit: Unit = MetricUnit.Count): void => {
    if (value > 0) metrics.addMetric(name, unit, value);
  };
  const after = writes.flatMap((write) =>
    write.after ? [{ before: write.before, after: write.after }] : [],
  );
  const chains = rows.flatMap((each) => (each.table === 'cascade_chains' ? [each.row.attempts] : []));
  add(
    METRIC_NAMES.attempts,
    chains.reduce((sum, attempts) => sum + attempts.length, 0),
  );
  add(METRIC_NAMES.escalations, chains.flat().filter(({ escalated }) => escalated).length);
  add(
    METRIC_NAMES.failures,
    rows.filter((each) => each.table === 'tasks' && each.row.status === 'failed').length,
  );
  add(
    METRIC_NAMES.budgetStops,
    rows.filter((each) => each.table === 'tasks' && each.row.failure_code === 'budget_exhausted').length,
  );
  add(
    METRIC_NAMES.gatesCouldNotRun,
    rows.filter((each) => each.table === 'quality_gates' && each.row.outcome === 'could_not_run').length,
  );
  add(
    METRIC_NAMES.reviewsNotRun,
    rows.filter((each) => each.table === 'judgements' && hasReviewGateFailedOpen(each.row)).length,
  );
  add(METRIC_NAMES.referrals, after.filter((write) => write.after.hold && !write.before?.hold).length);
  add(
    METRIC_NAMES.costUsd,
    after.reduce((sum, write) => sum + addedModelCostUsd(write.before, write.after), 0),
    MetricUnit.NoUnit,
  );
  countLosses(after.flatMap((write) => newContainerLosses(write.before, write.after)));
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
}

const objects = createObjectStore();
const publisher = createEventPublisher();
const models = readTierModels();
const tables = PublishedRecordTables.parse(
  JSON.parse(readOptionalEnv(FUNCTION_ENV_NAMES.recordEvents, '[]')),
);
const items = openTable();
const figures = new DailyMetricsStore(items);
const files = new FileHealthStore(items);

/** Whose writes a batch is made of. */
const aboutTasks = ({ Records }: DynamoDBStreamEvent): object => ({
  task_ids: [...new Set(Records.map(readStreamRecordTaskId))],
});

/**
 * Writes what a batch of stream records tells as JSONL, one object per table and day, adds it to the figures, and puts what the world is to hear on the bus. The name
 * of an object is made from the records, and the id of an event from its write, so a re-delivery says the same again.
 */
export const handler = withErrorLogging(async (event: DynamoDBStreamEvent): Promise<void> => {
  const writes = event.Records.map(readTaskBeforeAndAfter);
  const rows = writes.flatMap(({ before, after }) => (after ? deriveRecordRows(before, after, models) : []));
  const batch = sha256(
    event.Records.map((record) => record.eventID ?? record.dynamodb?.SequenceNumber ?? '').join('\n'),
  ).slice(0, 32);
  await Promise.all(
    groupRecordRowsByObject(rows).map(({ table, date, body }) =>
      objects.put(s3ObjectKeys.records(table, date, batch), body, 'application/x-ndjson'),
    ),
  );
  await figures.addFacts(deriveRecordMetricsGroups(rows), new Date());
  await files.recordTouches(
    rows.flatMap((each) => (each.table === 'file_touches' ? [each.row] : [])),
    new Date(),
  );
  await publisher.publish([
    ...writes.flatMap(({ before, after }) => (after ? deriveTaskEvents(before, after) : [])),
    ...derivePublishedRecordEvents(rows, tables),
  ]);
  publishWriteMetrics(writes, rows);
}, aboutTasks);
