import type { DynamoDBStreamEvent } from 'aws-lambda';
import { FUNCTION_ENV_NAMES, objectKey } from '../../shared/contract/resource-names.ts';
import { deriveEvents } from '../../shared/control/events/derive-events.ts';
import { deriveRecordEvents, RecordEventTables } from '../../shared/control/events/record-events.ts';
import { deriveRows, groupRows } from '../../shared/control/ledger/derive-rows.ts';
import { deriveMetricFacts } from '../../shared/control/metrics/metric-facts.ts';
import { sha256 } from '../../shared/lib/sha256.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import { readTierModels } from '../runtime/config.ts';
import { createEventPublisher } from '../runtime/event-publisher.ts';
import { withFailureLog } from '../runtime/log-context.ts';
import { createObjectStore as objectStore } from '../runtime/object-store.ts';
import { createStores } from '../runtime/stores.ts';
import { taskIdOfRecord, taskImages } from '../runtime/stream-record.ts';
import { publishWriteMetrics } from './write-metrics.ts';

const objects = objectStore();
const publisher = createEventPublisher();
const models = readTierModels();
const tables = RecordEventTables.parse(JSON.parse(optionalEnv(FUNCTION_ENV_NAMES.recordEvents, '[]')));
const { dailyMetrics: figures, fileHealth: files } = createStores();

/** Whose writes a batch is made of. */
const aboutTasks = ({ Records }: DynamoDBStreamEvent): object => ({
  task_ids: [...new Set(Records.map(taskIdOfRecord))],
});

/**
 * Writes what a batch of stream records tells as JSONL, one object per table and day, adds it to the figures, and puts what the world is to hear on the bus. The name
 * of an object is made from the records, and the id of an event from its write, so a re-delivery says the same again.
 */
export const handler = withFailureLog(async (event: DynamoDBStreamEvent): Promise<void> => {
  const writes = event.Records.map(taskImages);
  const rows = writes.flatMap(({ before, after }) => (after ? deriveRows(before, after, models) : []));
  const batch = sha256(
    event.Records.map((record) => record.eventID ?? record.dynamodb?.SequenceNumber ?? '').join('\n'),
  ).slice(0, 32);
  await Promise.all(
    groupRows(rows).map(({ table, date, body }) =>
      objects.put(objectKey.records(table, date, batch), body, 'application/x-ndjson'),
    ),
  );
  await figures.addFacts(deriveMetricFacts(rows), new Date());
  await files.recordTouches(
    rows.flatMap((each) => (each.table === 'file_touches' ? [each.row] : [])),
    new Date(),
  );
  await publisher.publish([
    ...writes.flatMap(({ before, after }) => (after ? deriveEvents(before, after) : [])),
    ...deriveRecordEvents(rows, tables),
  ]);
  publishWriteMetrics(writes, rows);
}, aboutTasks);
