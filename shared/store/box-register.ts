import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ITEM_PREFIX, TABLE } from '../names.ts';
import { POOLS, type Pool } from '../task/box-room.ts';

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
  /** Of the ECS task; null as long as it is asked for, and nobody knows whether it runs. */
  readonly arn: string | null;
}

/** vCPUs in one item: the largest box that Fargate has fits, and what is written for each box stays small. */
const SHARD_CPU = 16 * 1_024;
/** Items that one box may be in: with several to choose from, room in the last ones is found. */
const CHOICES = 3;
const ENTRY = 'box:';

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

  /** Lets a box in, once: a repeat finds the entry of the first time. Null: there is no room. */
  async admit(name: string, pool: Pool, cpu: number, now: Date): Promise<RegisteredBox | null> {
    const present = await this.find(name);
    if (present) return present;
    const room = Math.floor(this.#limits[pool] / this.#shards(pool)) - cpu;
    for (const shard of this.#choices(name, pool)) {
      const entry = { cpu, at: now.toISOString(), arn: null };
      const isIn = await this.#update(pool, shard, {
        UpdateExpression: 'SET #entry = :entry ADD #used :cpu',
        ConditionExpression:
          'attribute_not_exists(#entry) AND (attribute_not_exists(#used) OR #used <= :room)',
        ExpressionAttributeNames: { '#entry': ENTRY + name, '#used': 'used' },
        ExpressionAttributeValues: { ':entry': entry, ':cpu': cpu, ':room': room },
      });
      if (isIn) return { name, pool, shard, ...entry };
    }
    // Another delivery of the same message may have been quicker.
    return this.find(name);
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
        const { Item } = await this.#db.send(
          new GetCommand({ TableName: this.#table, Key: this.#key(pool, shard), ConsistentRead: true }),
        );
        const found = Item && entriesOf(Item, pool).find((each) => each.name === name);
        if (found) return found;
      }
    return null;
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

function entriesOf(item: Readonly<Record<string, unknown>>, pool: Pool): RegisteredBox[] {
  return Object.entries(item).flatMap(([key, value]) => {
    if (!key.startsWith(ENTRY)) return [];
    const { cpu, at, arn } = value as Pick<RegisteredBox, 'cpu' | 'at' | 'arn'>;
    return [{ name: key.slice(ENTRY.length), pool, shard: Number(item[TABLE.sk]), cpu, at, arn }];
  });
}
