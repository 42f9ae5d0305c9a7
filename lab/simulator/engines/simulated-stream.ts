import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { drawFraction } from '../world/random-stream.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import type { TableItem } from './dynamodb-expression.ts';
import type { TableWrite } from './simulated-table.ts';

/** As in infra/stream-reader.ts. */
const RETRIES = 8;
/** Milliseconds after which what was given up is read again, each time. */
const AGAIN_MS = 60_000;
/** Shards of a stream, as far as a reader sees them, unless it has its own number: within one, order is kept; batches mix the items of one. */
const LANES = 3;

const images = new WeakMap<TableItem, NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>();
/** An item in DynamoDB's JSON, made once. */
function image(item: TableItem): NonNullable<DynamoDBRecord['dynamodb']>['NewImage'] {
  let made = images.get(item);
  if (!made) {
    made = marshall(item) as NonNullable<DynamoDBRecord['dynamodb']>['NewImage'];
    images.set(item, made);
  }
  return made;
}

const record = (write: TableWrite): DynamoDBRecord => ({
  eventID: `e${write.sequence}`,
  eventName: write.before === null ? 'INSERT' : write.after === null ? 'REMOVE' : 'MODIFY',
  eventSource: 'aws:dynamodb',
  dynamodb: {
    SequenceNumber: String(write.sequence),
    Keys: image(write.key),
    ...(write.before ? { OldImage: image(write.before) } : {}),
    ...(write.after ? { NewImage: image(write.after) } : {}),
  },
});

export interface SimulatedStreamOptions {
  readonly name: string;
  readonly batchSize: number;
  /** Milliseconds that a batch is waited for. */
  readonly windowMs: number;
  readonly lanes?: number;
  readonly wants: (write: TableWrite) => boolean;
  /** Invokes the function. Rejects when it failed as a whole. */
  readonly invoke: (records: DynamoDBRecord[]) => Promise<DynamoDBBatchResponse | undefined>;
}

interface Lane {
  readonly waiting: { write: TableWrite; tries: number }[];
  isBusy: boolean;
}

/** One function's place in the stream: batches in order, a failed record again and alone, in the end put aside. */
export class StreamReader {
  readonly #options: SimulatedStreamOptions;
  readonly #world: SimulatedWorld;
  readonly #lanes: Lane[];
  /** The most writes that have waited in one lane. */
  longestBacklog = 0;
  #batches = 0;
  /** Batches that came twice. */
  redelivered = 0;
  /** Writes that were given up and are not done yet, by item, each in its order: dead letters. */
  readonly #kept = new Map<string, TableWrite[]>();
  /** How many writes were given up. */
  droppedWrites = 0;

  constructor(world: SimulatedWorld, options: SimulatedStreamOptions) {
    this.#world = world;
    this.#options = options;
    this.#lanes = Array.from({ length: options.lanes ?? LANES }, () => ({ waiting: [], isBusy: false }));
  }

  get isIdle(): boolean {
    return this.#kept.size === 0 && this.#lanes.every(({ waiting }) => waiting.length === 0);
  }

  offer(write: TableWrite): void {
    if (!this.#options.wants(write)) return;
    const at = Math.floor(drawFraction(String(write.key['pk'])) * this.#lanes.length);
    const lane = this.#lanes[at] as Lane;
    lane.waiting.push({ write, tries: 0 });
    this.longestBacklog = Math.max(this.longestBacklog, lane.waiting.length);
    this.#pump(lane, this.#options.windowMs);
  }

  /** The function has done its work, and the stream is not told: a poller that dies, a checkpoint that is lost. */
  #comesAgain(): boolean {
    const { seed, redelivery } = this.#world.conditions;
    return (
      !this.#world.hasNoMoreFaults &&
      drawFraction(`${seed}/again/${this.#options.name}/${this.#batches++}`) < redelivery
    );
  }

  /** Sometimes one that would have done is given up, too: so that it comes after later writes of the same item. */
  #isGivenUp(): boolean {
    const { seed, redelivery } = this.#world.conditions;
    return (
      !this.#world.hasNoMoreFaults &&
      drawFraction(`${seed}/given-up/${this.#options.name}/${this.#batches++}`) < redelivery / 2
    );
  }

  #giveUp(write: TableWrite): void {
    this.#world.logEvent(() => `${this.#options.name} gives up write ${write.sequence}`);
    this.droppedWrites++;
    const item = String(write.key['pk']);
    const kept = this.#kept.get(item);
    if (kept) kept.push(write);
    else {
      this.#kept.set(item, [write]);
      this.#world.clock.schedule(AGAIN_MS, () => void this.#readAgain(item));
    }
  }

  /** As the function of dead letters does: of one item one after the other, and what fails again holds up those behind it. */
  async #readAgain(item: string): Promise<void> {
    const kept = this.#kept.get(item) ?? [];
    for (let next = kept[0]; next; next = kept[0]) {
      const write = next;
      this.#world.logEvent(() => `${this.#options.name} reads write ${write.sequence} again`);
      const isDone = await this.#options
        .invoke([record(write)])
        .then((response) => (response?.batchItemFailures.length ?? 0) === 0)
        .catch(() => false);
      if (!isDone) {
        this.#world.clock.schedule(AGAIN_MS, () => void this.#readAgain(item));
        return;
      }
      kept.shift();
    }
    this.#kept.delete(item);
  }

  #pump(lane: Lane, delay: number): void {
    if (lane.isBusy || lane.waiting.length === 0) return;
    lane.isBusy = true;
    this.#world.clock.schedule(5 + delay, () => void this.#deliver(lane));
  }

  async #deliver(lane: Lane): Promise<void> {
    const put = this.#isGivenUp() ? lane.waiting.shift() : undefined;
    if (put) this.#giveUp(put.write);
    if (lane.waiting.length === 0) {
      lane.isBusy = false;
      return;
    }
    // What has failed before goes alone, so that it holds up nothing but itself.
    const size = (lane.waiting[0]?.tries ?? 0) > 0 ? 1 : this.#options.batchSize;
    const batch = lane.waiting.slice(0, size);
    if (this.#comesAgain()) {
      this.redelivered++;
      this.#world.logEvent(() => `${this.#options.name} gets ${batch.length} changes that will come again`);
      await this.#options.invoke(batch.map(({ write }) => record(write))).catch(() => {});
    }
    const done = await this.#options
      .invoke(batch.map(({ write }) => record(write)))
      .then((response) => {
        const failed = new Set(response?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
        const first = batch.findIndex(({ write }) => failed.has(String(write.sequence)));
        return first < 0 ? batch.length : first;
      })
      .catch(() => 0);
    lane.waiting.splice(0, done);
    const next = lane.waiting[0];
    let delay = this.#options.windowMs;
    if (done < batch.length && next) {
      next.tries++;
      delay = Math.min(30_000, 500 * 2 ** next.tries);
      if (next.tries > RETRIES) {
        this.#giveUp(next.write);
        lane.waiting.shift();
      }
    }
    lane.isBusy = false;
    this.#pump(lane, delay);
  }
}
