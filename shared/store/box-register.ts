import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ITEM_PREFIX, TABLE } from '../names.ts';
import { POOLS, type Pool } from '../task/box-room.ts';
import { isNext, mayTake, type Shares, WAIT_SECONDS } from '../task/fair-share.ts';

/** A box that was let in: asked of ECS, or started by it. */
export interface RegisteredBox {
  /** Of its launch (`launchName`). */
  readonly name: string;
  readonly pool: Pool;
  readonly shard: number;
  /** In 1/1,024 of a vCPU. */
  readonly cpu: number;
  /** When it was let in. */
  readonly at: string;
  /** Who has submitted its task. Absent in entries of earlier versions. */
  readonly by?: string;
  /** Of the ECS task; null as long as it is asked for, and nobody knows whether it runs. */
  readonly arn: string | null;
}

/** vCPUs in one item: the largest box that Fargate has fits, and what is written for each box stays small. */
const SHARD_CPU = 16 * 1_024;
/** Items that one box may be in: with several to choose from, room in the last ones is found. */
const CHOICES = 3;
const ENTRY = 'box:';
/** Attributes `wait:<submitter>`: until when room is kept for one that waits, in epoch seconds. */
const WAIT = 'wait:';
/** Submitters for whom one item keeps room; one that is not among them waits all the same. */
const MAX_WAITING = 50;

/** There is no room; `next`: what becomes free is kept for this submitter, which has less than another. */
export type NoRoom = 'full' | 'next';
type Item = Readonly<Record<string, unknown>>;

/**
 * The boxes that run or are asked for, and the vCPUs that they take together. An entry and what it adds are one conditional write of one
 * item, so that nothing is counted that is not listed; what is listed is looked at each minute, and taken out when it is gone.
 */
export class BoxRegister {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;
  readonly #limits: Readonly<Record<Pool, number>>;

  /** `limits` in 1/1,024 of a vCPU. */
  constructor(db: DynamoDBDocumentClient, table: string, limits: Readonly<Record<Pool, number>>) {
    this.#db = db;
    this.#table = table;
    this.#limits = limits;
  }

  /** Lets a box in, once: a repeat finds the entry of the first time. Room is shared among those who submit (`mayTake`). */
  async admit(name: string, pool: Pool, cpu: number, by: string, now: Date): Promise<RegisteredBox | NoRoom> {
    const present = await this.find(name);
    if (present) return present;
    const seconds = Math.floor(now.getTime() / 1_000);
    const room = Math.floor(this.#limits[pool] / this.#shards(pool)) - cpu;
    let waits: NoRoom = 'full';
    for (const [choice, shard] of this.#choices(name, pool).entries()) {
      const item = (await this.#read(pool, shard)) ?? {};
      const shares = sharesOf(item, pool);
      const entry = { cpu, at: now.toISOString(), by, arn: null };
      const isIn =
        mayTake(by, shares, seconds) &&
        (await this.#update(pool, shard, {
          UpdateExpression: 'SET #entry = :entry REMOVE #wait ADD #used :cpu',
          ConditionExpression:
            'attribute_not_exists(#entry) AND (attribute_not_exists(#used) OR #used <= :room)',
          ExpressionAttributeNames: { '#entry': ENTRY + name, '#used': 'used', '#wait': WAIT + by },
          ExpressionAttributeValues: { ':entry': entry, ':cpu': cpu, ':room': room },
        }));
      if (isIn) return { name, pool, shard, ...entry };
      if (isNext(by, shares)) waits = 'next';
      // In one place only: in each, room would be kept.
      if (choice === 0) await this.#wait(pool, shard, by, shares, seconds);
    }
    // Another delivery of the same message may have been quicker.
    return (await this.find(name)) ?? waits;
  }

  /** Keeps room for a submitter, and for nobody any longer who has not come for it. */
  async #wait(pool: Pool, shard: number, by: string, { waiting }: Shares, now: number): Promise<void> {
    const until = waiting.get(by) ?? 0;
    const over = [...waiting].filter(([other, end]) => other !== by && end < now).slice(0, MAX_WAITING);
    // Each message of a submitter says it; one in half a minute is enough.
    if (until > now + WAIT_SECONDS / 2 || waiting.size - over.length >= MAX_WAITING) return;
    const names = Object.fromEntries(over.map(([other], at) => [`#over${at}`, WAIT + other]));
    const removed = over.length === 0 ? '' : ` REMOVE ${Object.keys(names).join(', ')}`;
    await this.#update(pool, shard, {
      UpdateExpression: `SET #wait = :until${removed}`,
      ExpressionAttributeNames: { '#wait': WAIT + by, ...names },
      ExpressionAttributeValues: { ':until': now + WAIT_SECONDS },
    });
  }

  /** Writes down as what ECS runs a box. Nothing when it is out already. */
  async started({ name, pool, shard }: RegisteredBox, arn: string): Promise<void> {
    await this.#update(pool, shard, {
      UpdateExpression: 'SET #entry.#arn = :arn',
      ConditionExpression: 'attribute_exists(#entry)',
      ExpressionAttributeNames: { '#entry': ENTRY + name, '#arn': 'arn' },
      ExpressionAttributeValues: { ':arn': arn },
    });
  }

  /** Takes a box out. Nothing when it is out already. */
  async release({ name, pool, shard, cpu }: RegisteredBox): Promise<void> {
    await this.#update(pool, shard, {
      UpdateExpression: 'REMOVE #entry ADD #used :less',
      ConditionExpression: '#entry.#cpu = :cpu',
      ExpressionAttributeNames: { '#entry': ENTRY + name, '#cpu': 'cpu', '#used': 'used' },
      ExpressionAttributeValues: { ':less': -cpu, ':cpu': cpu },
    });
  }

  /** The entry of a box, read consistently. */
  async find(name: string): Promise<RegisteredBox | null> {
    for (const pool of POOLS)
      for (const shard of this.#choices(name, pool)) {
        const item = await this.#read(pool, shard);
        const found = item && entriesOf(item, pool).find((each) => each.name === name);
        if (found) return found;
      }
    return null;
  }

  async #read(pool: Pool, shard: number): Promise<Item | undefined> {
    const { Item } = await this.#db.send(
      new GetCommand({ TableName: this.#table, Key: this.#key(pool, shard), ConsistentRead: true }),
    );
    return Item;
  }

  /** All boxes: as many as run and are asked for, which the limits bound. */
  async list(): Promise<readonly RegisteredBox[]> {
    const found: RegisteredBox[] = [];
    for (const pool of POOLS) {
      let after: Record<string, unknown> | undefined;
      do {
        const page = await this.#db.send(
          new QueryCommand({
            TableName: this.#table,
            KeyConditionExpression: '#pk = :pk',
            ExpressionAttributeNames: { '#pk': TABLE.pk },
            ExpressionAttributeValues: { ':pk': this.#key(pool, 0)[TABLE.pk] },
            ConsistentRead: true,
            ...(after && { ExclusiveStartKey: after }),
          }),
        );
        for (const item of page.Items ?? []) found.push(...entriesOf(item, pool));
        after = page.LastEvaluatedKey;
      } while (after);
    }
    return found;
  }

  #shards(pool: Pool): number {
    return Math.max(1, Math.floor(this.#limits[pool] / SHARD_CPU));
  }

  #choices(name: string, pool: Pool): number[] {
    const shards = this.#shards(pool);
    const first = createHash('sha256').update(name).digest().readUInt32BE(0) % shards;
    return [...new Set(Array.from({ length: CHOICES }, (_, at) => (first + at) % shards))];
  }

  #key(pool: Pool, shard: number): Record<string, string> {
    return {
      [TABLE.pk]: `${ITEM_PREFIX.box}${pool}`,
      [TABLE.sk]: String(shard).padStart(6, '0'),
    };
  }

  /** False when the condition does not hold. */
  async #update(pool: Pool, shard: number, how: Readonly<Record<string, unknown>>): Promise<boolean> {
    try {
      await this.#db.send(new UpdateCommand({ TableName: this.#table, Key: this.#key(pool, shard), ...how }));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }
}

function sharesOf(item: Item, pool: Pool): Shares {
  const held = new Map<string, number>();
  for (const { by = '', cpu } of entriesOf(item, pool)) held.set(by, (held.get(by) ?? 0) + cpu);
  const waiting = Object.entries(item).flatMap(([key, until]): [string, number][] =>
    key.startsWith(WAIT) ? [[key.slice(WAIT.length), Number(until)]] : [],
  );
  return { held, waiting: new Map(waiting) };
}

function entriesOf(item: Item, pool: Pool): RegisteredBox[] {
  return Object.entries(item).flatMap(([key, value]) => {
    if (!key.startsWith(ENTRY)) return [];
    const { cpu, at, by, arn } = value as Pick<RegisteredBox, 'cpu' | 'at' | 'by' | 'arn'>;
    const of = by === undefined ? {} : { by };
    return [{ name: key.slice(ENTRY.length), pool, shard: Number(item[TABLE.sk]), cpu, at, ...of, arn }];
  });
}
