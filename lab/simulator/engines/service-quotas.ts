import { TABLE_INDEXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../../../shared/contract/resource-names.ts';
import type { SimulatedService } from '../world/call-faults.ts';
import { ServiceCallError } from '../world/simulated-world.ts';
import type { TableItem } from './dynamodb-expression.ts';
import { projectIntoIndex, type TableCommandInput } from './simulated-table.ts';
import { toStoredItem } from './stored-item.ts';

/** A limit as a bucket of tokens: so many come back each second, and so many fit. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** What a deployment may ask of AWS; each rate by its name. */
export interface QuotaLimits {
  readonly rates: Readonly<Record<RateName, RateLimit>>;
  /** Lambda executions at a time. */
  readonly lambdas: number;
}
export const RATE_NAMES = [
  'httpApi',
  'startExecution',
  'runTask',
  'launches',
  's3Writes',
  's3Reads',
  /** Of one partition key of the table, and of one of an index. */
  'itemWrites',
  'itemReads',
] as const;
export type RateName = (typeof RATE_NAMES)[number];

interface Level {
  tokens: number;
  at: number;
  /** What this second has asked for, and the most that any has. */
  second: number;
  asked: number;
  most: number;
}

export interface QuotaHit {
  readonly name: RateName;
  /** The most that was asked for within a second, of the fullest of its kind. */
  readonly most: number;
  readonly key: string;
  /** Those of its kind that come after it. */
  readonly next: readonly { readonly key: string; readonly most: number }[];
  /** Calls that were refused. */
  readonly refused: number;
  /** Seconds from the start to the first of them; null: none. */
  readonly firstAt: number | null;
}

const WORDS: Readonly<Record<RateName, [string, string]>> = {
  httpApi: ['TooManyRequestsException', 'Too Many Requests'],
  startExecution: ['ThrottlingException', 'Rate exceeded'],
  runTask: ['ThrottlingException', 'Rate exceeded'],
  launches: ['ThrottlingException', 'Rate exceeded'],
  s3Writes: ['SlowDown', 'Please reduce your request rate.'],
  s3Reads: ['SlowDown', 'Please reduce your request rate.'],
  itemWrites: ['ThrottlingException', 'The partition is too hot'],
  itemReads: ['ThrottlingException', 'The partition is too hot'],
};
const RATES_OF: Readonly<Record<string, readonly RateName[]>> = {
  RunTaskCommand: ['runTask', 'launches'],
  StartExecutionCommand: ['startExecution'],
};
/** Partitions that are shown beside the fullest. */
const SHOWN = 4;
const KIB = 1_024;
const WRITES: ReadonlySet<string> = new Set(['PutCommand', 'UpdateCommand', 'DeleteCommand']);

/** A read that may be some moments old costs half. */
const EVENTUAL = 0.5;

const bytes = (item: unknown): number => (item === undefined ? 0 : toStoredItem(item).bytes);
const unitsOf = (size: number, unit: number): number => Math.max(1, Math.ceil(size / unit));
const readUnits = (looked: unknown, isStrong = false): number =>
  unitsOf(bytes(looked), 4 * KIB) * (isStrong ? 1 : EVENTUAL);

/** The limits of AWS as token buckets, on virtual time: who asks for too much is refused as AWS refuses. */
export class ServiceQuotas {
  readonly #limits: QuotaLimits;
  readonly #now: () => number;
  readonly #start: number;
  readonly #stored: (key: TableItem) => TableItem | undefined;
  readonly #levels = new Map<string, Level>();
  readonly #refused = new Map<RateName, { count: number; firstAt: number }>();
  /** Lambda executions: now, the most, and how many were refused. */
  running = 0;
  mostRunning = 0;
  refusedRunning = 0;

  /** `stored`: the item of a key, whose size is what a change of it costs. */
  constructor(limits: QuotaLimits, now: () => number, stored: (key: TableItem) => TableItem | undefined) {
    this.#stored = stored;
    this.#limits = limits;
    this.#now = now;
    this.#start = now();
  }

  /** Takes tokens. Throws where there are fewer; or, of what is done already, where there are none for the next. */
  #take(name: RateName, key: string, tokens: number, isDone = false): void {
    const { perSecond, burst } = this.#limits.rates[name];
    const now = this.#now();
    const level = this.#levels.get(`${name} ${key}`) ?? {
      tokens: burst,
      at: now,
      second: 0,
      asked: 0,
      most: 0,
    };
    this.#levels.set(`${name} ${key}`, level);
    level.tokens = Math.min(burst, level.tokens + ((now - level.at) / 1_000) * perSecond);
    level.at = now;
    const second = Math.floor(now / 1_000);
    if (second !== level.second) Object.assign(level, { second, asked: 0 });
    level.asked += tokens;
    level.most = Math.max(level.most, level.asked);
    if (!isDone && level.tokens < tokens) {
      const before = this.#refused.get(name) ?? { count: 0, firstAt: (now - this.#start) / 1_000 };
      this.#refused.set(name, { ...before, count: before.count + 1 });
      throw new ServiceCallError(...WORDS[name]);
    }
    level.tokens -= tokens;
  }

  /** An execution of a function begins; what it answers ends it. Throws when there are too many. */
  beginExecution(): () => void {
    if (this.running >= this.#limits.lambdas) {
      this.refusedRunning++;
      throw new ServiceCallError('TooManyRequestsException', 'Rate Exceeded.');
    }
    this.mostRunning = Math.max(this.mostRunning, ++this.running);
    return () => {
      this.running--;
    };
  }

  request(): void {
    this.#take('httpApi', '', 1);
  }

  /** A call of the SDK. Throws when it is one too many, and is not served then. */
  call<R>(
    service: SimulatedService,
    operation: string,
    input: Readonly<Record<string, unknown>>,
    serve: () => R,
  ): R {
    if (service === 'dynamodb')
      return WRITES.has(operation)
        ? this.#write(input as TableCommandInput, serve)
        : this.#read(input as TableCommandInput, serve);
    if (service === 's3')
      this.#take(operation === 'GetObjectCommand' ? 's3Reads' : 's3Writes', prefixOf(input['Key']), 1);
    else for (const name of RATES_OF[operation] ?? []) this.#take(name, '', 1);
    return serve();
  }

  /**
   * Units of one partition of the table, by the larger of what was there and what is, also where a condition fails; and of one of each
   * index that shows the change. Indexes follow: one that is behind refuses the next write.
   */
  #write<R>(input: TableCommandInput, serve: () => R): R {
    const key: TableItem = input.Item ?? input.Key ?? {};
    const partition = String(key[TASKS_TABLE_KEY_ATTRIBUTES.pk] ?? '');
    const before = this.#stored(key);
    const expected = unitsOf(Math.max(bytes(before), bytes(input.Item)), KIB);
    for (const { name, pk } of Object.values(TABLE_INDEXES))
      for (const at of new Set([before?.[pk], input.Item?.[pk]]))
        if (typeof at === 'string') this.#take('itemWrites', `${name} ${at}`, 0);
    this.#take('itemWrites', partition, expected);
    const answer = serve();
    const after = this.#stored(key);
    const more = unitsOf(bytes(after), KIB) - expected;
    if (more > 0) this.#take('itemWrites', partition, more, true);
    for (const { name, pk, sk } of Object.values(TABLE_INDEXES)) {
      const [was, is] = [projectIntoIndex(name, before), projectIntoIndex(name, after)];
      const isMoved = was?.[pk] !== is?.[pk] || was?.[sk] !== is?.[sk];
      if (!isMoved && JSON.stringify(was) === JSON.stringify(is)) continue;
      for (const row of isMoved ? [was, is] : [is])
        if (row) this.#take('itemWrites', `${name} ${row[pk]}`, unitsOf(bytes(row), KIB), true);
    }
    return answer;
  }

  /** Units of one partition of the table, or of an index, by what was looked at. */
  #read<R>(input: TableCommandInput, serve: () => R): R {
    const gets = Object.values(
      input.RequestItems ?? { one: { Keys: input.Key && [input.Key], ConsistentRead: input.ConsistentRead } },
    );
    for (const { Keys = [], ConsistentRead: isStrong } of gets)
      for (const key of Keys)
        this.#take(
          'itemReads',
          String(key[TASKS_TABLE_KEY_ATTRIBUTES.pk]),
          readUnits(this.#stored(key), isStrong),
        );
    if (input.RequestItems || input.Key) return serve();
    const at = `${input.IndexName ? `${input.IndexName} ` : ''}${input.ExpressionAttributeValues?.[':pk']}`;
    this.#take('itemReads', at, 0);
    const answer = serve();
    const items = (answer as { readonly Items?: readonly TableItem[] }).Items ?? [];
    this.#take('itemReads', at, readUnits(items, input.ConsistentRead), true);
    return answer;
  }

  /** What was met, the most refused first. */
  listHits(): QuotaHit[] {
    return RATE_NAMES.map((name) => {
      const levels = [...this.#levels].filter(([key]) => key.startsWith(`${name} `));
      const [[key = '', fullest] = [], ...others] = levels.toSorted((a, b) => b[1].most - a[1].most);
      const refused = this.#refused.get(name);
      return {
        name,
        most: fullest?.most ?? 0,
        key: key.slice(name.length + 1),
        next: others
          .slice(0, SHOWN)
          .map(([other, { most }]) => ({ key: other.slice(name.length + 1), most })),
        refused: refused?.count ?? 0,
        firstAt: refused?.firstAt ?? null,
      };
    });
  }
}

const prefixOf = (key: unknown): string => `${String(key).split('/', 1)[0]}/`;
