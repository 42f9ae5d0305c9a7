import type { ChangeRecord } from '../dynamodb/write-ahead-log/index.ts';
import type { Stoppable } from '../shared-types.ts';

/** Result of a delivered batch: the index of the first record that was not handled, or null. */
export type FirstFailedRecordIndex = number | null;

export interface RecordQueueOptions {
  readonly batchSize: number;
  /** Milliseconds to wait for a full batch. */
  readonly windowMs: number;
  readonly bisects: boolean;
  /** -1: unlimited. */
  readonly maxRetries: number;
  /** Milliseconds; -1: unlimited. */
  readonly maxAgeMs: number;
  deliver(batch: readonly ChangeRecord[]): Promise<FirstFailedRecordIndex>;
  discard(batch: readonly ChangeRecord[], reason: DiscardReason, attempts: number): Promise<void>;
  /** Called after records were handled, and when the queue is empty. */
  onProgress(): void;
  readonly now?: () => number;
}

export type DiscardReason = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';

/** Delivers records in order: the next batch begins when the previous one was handled. */
export interface RecordQueue extends Stoppable {
  push(record: ChangeRecord): void;
  /** Delivers without waiting for a full batch. */
  flush(): void;
  isIdle(): boolean;
  /** Sequence of the oldest record that is not done with; null when there is none. */
  oldest(): number | null;
}

/**
 * Backoff between attempts in milliseconds: short at first, because no remote service needs time to recover.
 */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 2_000;

export function createRecordQueue(options: RecordQueueOptions): RecordQueue {
  const { batchSize, windowMs, bisects, maxRetries, maxAgeMs, now = Date.now } = options;
  const pending: ChangeRecord[] = [];
  let attempts = 0;
  /** Size of the next batch: smaller than a full one while a failing record is isolated. */
  let limit = batchSize;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let resume: (() => void) | null = null;
  let stopped = false;

  function wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      resume = () => {
        if (timer !== null) clearTimeout(timer);
        timer = null;
        resume = null;
        resolve();
      };
      timer = setTimeout(resume, milliseconds);
    });
  }

  function done(count: number): void {
    pending.splice(0, count);
    attempts = 0;
    limit = batchSize;
    options.onProgress();
  }

  async function giveUp(count: number, reason: DiscardReason): Promise<void> {
    await options.discard(pending.slice(0, count), reason, attempts);
    done(count);
  }

  async function step(): Promise<void> {
    const batch = pending.slice(0, limit);
    const [first] = batch;
    if (first === undefined) return;
    if (maxAgeMs >= 0 && now() - first.at > maxAgeMs) return giveUp(1, 'RecordAgeExceeded');
    const failedAt = await options.deliver(batch);
    if (failedAt === null) return done(batch.length);
    const left = batch.length - failedAt;
    if (failedAt > 0) done(failedAt);
    // Bisecting a batch is no retry: only a single record, or a batch that is not bisected, uses up attempts.
    if (bisects && left > 1) {
      limit = failedAt > 0 ? 1 : Math.ceil(left / 2);
      return;
    }
    limit = left;
    attempts += 1;
    if (maxRetries >= 0 && attempts > maxRetries) return giveUp(left, 'RetryAttemptsExhausted');
    if (!stopped) await wait(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1)));
  }

  async function run(): Promise<void> {
    // Records that are written together are delivered together.
    await Promise.resolve();
    if (windowMs > 0 && attempts === 0 && pending.length < batchSize) await wait(windowMs);
    while (pending.length > 0 && !stopped) await step();
    running = null;
    options.onProgress();
  }

  return {
    push(record) {
      pending.push(record);
      if (stopped) return;
      running ??= run();
      if (pending.length === batchSize && attempts === 0) resume?.();
    },
    flush: () => resume?.(),
    isIdle: () => running === null,
    oldest: () => pending[0]?.sequence ?? null,
    async stop() {
      stopped = true;
      resume?.();
      await running;
    },
  };
}
