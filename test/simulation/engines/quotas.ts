import { INDEXES, TABLE } from '../../../shared/names.ts';
import type { Service } from '../world/faults.ts';
import { OutsideError } from '../world/world.ts';
import type { Item } from './expression.ts';
import type { Input } from './table.ts';

/** A limit as a bucket of tokens: so many come back each second, and so many fit. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** What a deployment may ask of AWS; each rate by its name. */
export interface Limits {
  readonly rates: Readonly<Record<RateName, Rate>>;
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

export interface Met {
  readonly name: RateName;
  /** The most that was asked for within a second, of the fullest of its kind. */
  readonly most: number;
  readonly key: string;
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
const KIB = 1_024;
const READS: ReadonlySet<string> = new Set(['GetCommand', 'QueryCommand', 'BatchGetCommand']);

const bytes = (item: unknown): number => Buffer.byteLength(JSON.stringify(item ?? {}));

/** The limits of AWS as token buckets, on virtual time: who asks for too much is refused as AWS refuses. */
export class Quotas {
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #start: number;
  readonly #stored: (key: Item) => unknown;
  readonly #levels = new Map<string, Level>();
  readonly #refused = new Map<RateName, { count: number; firstAt: number }>();
  /** Lambda executions: now, the most, and how many were refused. */
  running = 0;
  mostRunning = 0;
  refusedRunning = 0;

  /** `stored`: the item of a key, whose size is what a change of it costs. */
  constructor(limits: Limits, now: () => number, stored: (key: Item) => unknown) {
    this.#stored = stored;
    this.#limits = limits;
    this.#now = now;
    this.#start = now();
  }

  #take(name: RateName, key: string, tokens: number): void {
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
    if (level.tokens < tokens) {
      const before = this.#refused.get(name) ?? { count: 0, firstAt: (now - this.#start) / 1_000 };
      this.#refused.set(name, { ...before, count: before.count + 1 });
      throw new OutsideError(...WORDS[name]);
    }
    level.tokens -= tokens;
  }

  /** An execution of a function begins; what it answers ends it. Throws when there are too many. */
  begin(): () => void {
    if (this.running >= this.#limits.lambdas) {
      this.refusedRunning++;
      throw new OutsideError('TooManyRequestsException', 'Rate Exceeded.');
    }
    this.mostRunning = Math.max(this.mostRunning, ++this.running);
    return () => {
      this.running--;
    };
  }

  request(): void {
    this.#take('httpApi', '', 1);
  }

  /** A call of the SDK. Throws when it is one too many. */
  call(service: Service, operation: string, input: Readonly<Record<string, unknown>>): void {
    if (service === 'dynamodb') this.#table(operation, input as Input);
    else if (service === 's3')
      this.#take(operation === 'GetObjectCommand' ? 's3Reads' : 's3Writes', prefixOf(input['Key']), 1);
    else for (const name of RATES_OF[operation] ?? []) this.#take(name, '', 1);
  }

  /** Units of one partition: of the table, and of each index that the item is in. */
  #table(operation: string, input: Input): void {
    if (READS.has(operation)) {
      const key = input.IndexName ?? String(input.Key?.[TABLE.pk] ?? '');
      this.#take('itemReads', key, 1);
      return;
    }
    const item: Item = input.Item ?? input.Key ?? {};
    const units = Math.max(1, Math.ceil(bytes(input.Item ?? this.#stored(item)) / KIB));
    this.#take('itemWrites', String(item[TABLE.pk] ?? ''), units);
    for (const index of Object.values(INDEXES)) {
      const at = item[index.pk];
      if (typeof at === 'string') this.#take('itemWrites', `${index.name} ${at}`, 1);
    }
  }

  /** What was met, the most refused first. */
  met(): Met[] {
    return RATE_NAMES.map((name) => {
      const levels = [...this.#levels].filter(([key]) => key.startsWith(`${name} `));
      const [key = '', fullest] = levels.toSorted((a, b) => b[1].most - a[1].most)[0] ?? [];
      const refused = this.#refused.get(name);
      return {
        name,
        most: fullest?.most ?? 0,
        key: key.slice(name.length + 1),
        refused: refused?.count ?? 0,
        firstAt: refused?.firstAt ?? null,
      };
    });
  }
}

const prefixOf = (key: unknown): string => `${String(key).split('/', 1)[0]}/`;
