import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { count, EMPTY_TALLY, type Fact, type Mark, type Tally } from '../ledger/counts.ts';
import { type NudgeCounts, RECENT_UNVERIFIED } from '../ledger/nudge.ts';
import { ITEM_PREFIX, TABLE } from '../names.ts';
import { Refusal } from '../refusal.ts';
import type { Status } from '../task/status.ts';
import { shardOf } from './shard.ts';

/** Items that the tasks of one role are counted in: writers of the same one race. */
const SHARDS = 8;
const MAX_RACES = 50;
/** Days for which it is remembered that a task is gone: longer than a stream keeps a record. */
const REMEMBERED_DAYS = 2;
const PARTITION = `${ITEM_PREFIX.count}tasks`;

type Item = Record<string, unknown>;
type Roles = Map<string, Partial<Record<Status, number>>>;

/** Tasks by role and status, and completions, verified or not. */
export interface Counts {
  readonly roles: Roles;
  readonly nudge: NudgeCounts;
}

const tallyKey = ({ role, id }: Fact): Item => ({
  [TABLE.pk]: PARTITION,
  [TABLE.sk]: `${role}#${shardOf(id, SHARDS)}`,
});
const markKey = (id: string): Item => ({ [TABLE.pk]: `${ITEM_PREFIX.counted}${id}`, [TABLE.sk]: 'mark' });

/**
 * Counts that are right however often a fact is delivered: each count and the marks that say what it is made of are one item, written
 * under a condition that it is as it was read; a mark that goes out of it is first written into an item of its own.
 */
export class CountStore {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#db = db;
    this.#table = table;
  }

  async #get(Key: Item): Promise<Item | null> {
    const { Item } = await this.#db.send(
      new GetCommand({ TableName: this.#table, Key, ConsistentRead: true }),
    );
    return Item ?? null;
  }

  /** False when the item has moved on from `revision`, or beyond it. */
  async #put(
    Item: Item,
    revision: { readonly name: string; readonly is: '=' | '<'; readonly value: number },
  ) {
    try {
      await this.#db.send(
        new PutCommand({
          TableName: this.#table,
          Item,
          ConditionExpression: `attribute_not_exists(#revision) OR #revision ${revision.is} :revision`,
          ExpressionAttributeNames: { '#revision': revision.name },
          ExpressionAttributeValues: { ':revision': revision.value },
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  async #mark(id: string): Promise<Mark | null> {
    const item = await this.#get(markKey(id));
    return item && { id, version: item['version'] as number, status: item['status'] as Status | null };
  }

  async #spill({ id, version, status }: Mark, now: Date): Promise<void> {
    const gone =
      status === null ? { [TABLE.ttl]: Math.floor(now.getTime() / 1_000) + REMEMBERED_DAYS * 86_400 } : {};
    await this.#put(
      { ...markKey(id), version, status, ...gone },
      { name: 'version', is: '<', value: version },
    );
  }

  /** Counts a fact, once. True when a completion was counted by it. */
  async count(fact: Fact, now: Date): Promise<boolean> {
    const key = tallyKey(fact);
    for (let race = 0; race < MAX_RACES; race++) {
      const item = await this.#get(key);
      const revision = (item?.['revision'] as number | undefined) ?? 0;
      const tally = { ...EMPTY_TALLY, ...(item as Partial<Tally> | null) };
      const mark = tally.marks.find(({ id }) => id === fact.id) ?? (await this.#mark(fact.id));
      const counted = count(tally, mark, fact);
      if (counted === null) return false;
      await Promise.all(counted.spilled.map((each) => this.#spill(each, now)));
      const next = { ...key, ...counted.tally, revision: revision + 1 };
      if (await this.#put(next, { name: 'revision', is: '=', value: revision })) return counted.completed;
    }
    throw new Refusal('busy', `the counts of role ${fact.role} change too fast; try again`);
  }

  async *#partition(pk: string): AsyncGenerator<Item> {
    let after: Item | undefined;
    do {
      const answer = await this.#db.send(
        new QueryCommand({
          TableName: this.#table,
          KeyConditionExpression: '#pk = :pk',
          ExpressionAttributeNames: { '#pk': TABLE.pk },
          ExpressionAttributeValues: { ':pk': pk },
          ConsistentRead: true,
          ...(after ? { ExclusiveStartKey: after } : {}),
        }),
      );
      yield* answer.Items ?? [];
      after = answer.LastEvaluatedKey;
    } while (after);
  }

  /** All counts so far. */
  async counts(): Promise<Counts> {
    const roles: Roles = new Map();
    const sum = { verified: 0, unverified: 0 };
    const recent: string[] = [];
    const completions = (tally: Item): void => {
      sum.verified += (tally['verified'] as number | undefined) ?? 0;
      sum.unverified += (tally['unverified'] as number | undefined) ?? 0;
    };
    for await (const item of this.#partition(PARTITION)) {
      const tally = { ...EMPTY_TALLY, ...(item as Partial<Tally>) };
      completions(item);
      recent.push(...tally.recent_unverified);
      const role = String(item[TABLE.sk]).replace(/#\d+$/, '');
      const row = roles.get(role) ?? {};
      for (const [status, number] of Object.entries(tally.by_status) as [Status, number][])
        if (number !== 0) row[status] = (row[status] ?? 0) + number;
      roles.set(role, row);
    }
    // Completions of versions that kept an item for each day.
    for await (const day of this.#partition(ITEM_PREFIX.completions)) {
      completions(day);
      recent.push(...((day['recent'] as string[] | undefined) ?? []));
    }
    const newest = recent.sort((a, b) => (a < b ? 1 : -1)).slice(0, RECENT_UNVERIFIED);
    const recentUnverified = newest.map((entry) => entry.slice(entry.indexOf('#') + 1));
    return { roles, nudge: { ...sum, recentUnverified } };
  }
}
