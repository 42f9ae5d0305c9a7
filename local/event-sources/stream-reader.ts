import { createHash } from 'node:crypto';
import type { TableSpec } from '../dynamodb/tables.ts';
import type { ChangeRecord, WriteAheadLog } from '../dynamodb/write-ahead-log/index.ts';
import type { EngineCredentials } from '../engine-credentials.ts';
import { shuffle } from '../fault-injection.ts';
import type { AwsJsonClient } from '../http/aws-json.ts';
import type { InjectedFaults, InvokeResult, LambdaHost, Stoppable } from '../shared-types.ts';
import { failedItemIds } from './batch-failures.ts';
import type { StreamMapping } from './event-source-mapping.ts';
import { sendToFailureDestination } from './failure-destination.ts';
import { createRecordQueue, type DiscardReason, type FirstFailedRecordIndex } from './record-queue.ts';
import { formatStreamSequenceNumber, toStreamEventRecord } from './stream-event.ts';

/** Longest batching window in milliseconds: a demonstration must not wait for half a minute. */
const LONGEST_WINDOW_MS = 1_000;
/** Records of other tables, or that no filter matches, after which the position is stored. */
const NOTE_EVERY = 200;

export interface LocalStreamReaderOptions {
  readonly mapping: StreamMapping;
  readonly table: TableSpec;
  readonly log: WriteAheadLog;
  readonly lambda: LambdaHost;
  readonly faults: InjectedFaults;
  readonly sqs: AwsJsonClient;
  readonly sqsEndpoint: string;
  readonly s3Endpoint: string;
  readonly credentials: EngineCredentials;
  onError(message: string): void;
}

export interface LocalStreamReader extends Stoppable {
  /** Begins to deliver, from the position in the log. */
  start(): void;
  /** Delivers records that wait for a full batch. */
  flush(): void;
  /** Resolves when every change in the log has been delivered. */
  settled(): Promise<void>;
}

/** Feeds the changes of a table to a function, in order for each item. */
export function createLocalStreamReader(options: LocalStreamReaderOptions): LocalStreamReader {
  const { mapping, table, log, lambda, faults, onError } = options;
  const waiting: (() => void)[] = [];
  const lanes = Array.from({ length: mapping.parallelization }, () =>
    createRecordQueue({
      batchSize: mapping.batchSize,
      windowMs: Math.min(mapping.windowSeconds * 1000, LONGEST_WINDOW_MS),
      bisects: mapping.bisects,
      maxRetries: mapping.maxRetries,
      maxAgeMs: mapping.maxAgeSeconds < 0 ? -1 : mapping.maxAgeSeconds * 1000,
      deliver,
      discard: giveUp,
      onProgress,
    }),
  );
  /** Records up to this sequence are in a queue, or filtered out. */
  let scanned = 0;
  let stopped = false;

  async function deliver(batch: readonly ChangeRecord[]): Promise<FirstFailedRecordIndex> {
    const times = faults.duplicateStream ? 2 : 1;
    const failed = new Set<string>();
    for (let time = 0; time < times; time += 1) {
      const order = faults.shuffle ? shuffle(batch) : batch;
      const event = { Records: order.map((record) => toStreamEventRecord(record, table)) };
      for (const id of failedIn(await lambda.invoke(mapping.functionName, event), batch)) failed.add(id);
    }
    const index = batch.findIndex((record) => failed.has(formatStreamSequenceNumber(record.sequence)));
    return index < 0 ? null : index;
  }

  function failedIn(result: InvokeResult, batch: readonly ChangeRecord[]): ReadonlySet<string> {
    const { error } = result;
    // Stopping ends running invocations. Their records are delivered again after the next start.
    if (error !== undefined && !stopped) onError(`${mapping.id}: ${error.errorType}: ${error.errorMessage}`);
    return failedItemIds(
      result,
      batch.map((record) => formatStreamSequenceNumber(record.sequence)),
      mapping.reportsItems,
    );
  }

  async function giveUp(
    batch: readonly ChangeRecord[],
    reason: DiscardReason,
    attempts: number,
  ): Promise<void> {
    onError(`${mapping.id}: gave up ${batch.length} records: ${reason}`);
    if (mapping.onFailureArn === null) return;
    await sendToFailureDestination(mapping, mapping.onFailureArn, batch, { reason, attempts }, options).catch(
      (error: unknown) => onError(`${mapping.id}: ${String(error)}`),
    );
  }

  const position = (): number =>
    lanes.reduce((lowest, lane) => Math.min(lowest, (lane.oldest() ?? scanned + 1) - 1), scanned);

  function note(): void {
    const reached = position();
    if (reached > log.position(mapping.id)) log.advance(mapping.id, reached);
  }

  function onProgress(): void {
    note();
    if (!lanes.every((lane) => lane.isIdle())) return;
    for (const resolve of waiting.splice(0)) resolve();
  }

  function scan(): void {
    if (stopped) return;
    for (const record of log.read(scanned, Number.POSITIVE_INFINITY)) {
      scanned = record.sequence;
      if (isWanted(record, table, mapping)) lanes[laneOf(record, lanes.length)]?.push(record);
    }
    if (position() - log.position(mapping.id) >= NOTE_EVERY) note();
  }

  return {
    start() {
      scanned = log.position(mapping.id);
      log.onChange(scan);
      scan();
    },
    flush: () => {
      for (const lane of lanes) lane.flush();
    },
    settled: () =>
      new Promise((resolve) => {
        if (lanes.every((lane) => lane.isIdle())) resolve();
        else waiting.push(resolve);
      }),
    async stop() {
      stopped = true;
      await Promise.all(lanes.map((lane) => lane.stop()));
      note();
    },
  };
}

function isWanted(record: ChangeRecord, table: TableSpec, { filters }: StreamMapping): boolean {
  if (record.table !== table.name) return false;
  if (filters === null) return true;
  const event = toStreamEventRecord(record, table);
  return filters.some((matches) => matches(event));
}

const laneOf = (record: ChangeRecord, lanes: number): number =>
  lanes === 1 ? 0 : createHash('md5').update(JSON.stringify(record.key)).digest().readUInt32BE() % lanes;
