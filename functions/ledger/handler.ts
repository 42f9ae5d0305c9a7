import type { DynamoDBStreamEvent } from 'aws-lambda';
import { ENV, objectKey } from '../../shared/contract/names.ts';
import { deriveEvents } from '../../shared/control/events/derive.ts';
import { RecordEvents, recordEvents } from '../../shared/control/events/records.ts';
import { deriveRows, groupRows } from '../../shared/control/ledger/derive.ts';
import { factsOf } from '../../shared/control/metrics/facts.ts';
import { sha256 } from '../../shared/lib/sha256.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import { tierModels } from '../runtime/config.ts';
import { stores } from '../runtime/dynamodb.ts';
import { eventPublisher } from '../runtime/events.ts';
import { heard } from '../runtime/heard.ts';
import { objects as objectStore } from '../runtime/objects.ts';
import { images, taskIdOf } from '../runtime/stream.ts';
import { countWrites } from './metrics.ts';

const objects = objectStore();
const publisher = eventPublisher();
const models = tierModels();
const tables = RecordEvents.parse(JSON.parse(optionalEnv(ENV.recordEvents, '[]')));
const { figures, files } = stores();

/** Whose writes a batch is made of. */
const aboutTasks = ({ Records }: DynamoDBStreamEvent): object => ({
  task_ids: [...new Set(Records.map(taskIdOf))],
});

/**
 * Writes what a batch of stream records tells as JSONL, one object per table and day, adds it to the figures, and puts what the world is to hear on the bus. The name
 * of an object is made from the records, and the id of an event from its write, so a re-delivery says the same again.
 */
export const handler = heard(async (event: DynamoDBStreamEvent): Promise<void> => {
  const writes = event.Records.map(images);
  const rows = writes.flatMap(({ before, after }) => (after ? deriveRows(before, after, models) : []));
  const batch = sha256(
    event.Records.map((record) => record.eventID ?? record.dynamodb?.SequenceNumber ?? '').join('\n'),
  ).slice(0, 32);
  await Promise.all(
    groupRows(rows).map(({ table, date, body }) =>
      objects.put(objectKey.records(table, date, batch), body, 'application/x-ndjson'),
    ),
  );
  await figures.count(factsOf(rows), new Date());
  await files.touch(
    rows.flatMap((each) => (each.table === 'file_touches' ? [each.row] : [])),
    new Date(),
  );
  await publisher.put([
    ...writes.flatMap(({ before, after }) => (after ? deriveEvents(before, after) : [])),
    ...recordEvents(rows, tables),
  ]);
  countWrites(writes, rows);
}, aboutTasks);
