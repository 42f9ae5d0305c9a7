import { createHash } from 'node:crypto';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { comparableRepositoryUrl } from '../contract/repository/repository-url.ts';
import { ITEM_KEY_PREFIXES, TABLE_KEYS } from '../contract/resource-names.ts';
import type { MergedWorkKey } from '../contract/task/merged-work.ts';
import { ttlAfterDays } from './ttl.ts';

/** Who reverts what was merged longer ago is not told whose work it was. */
const KEPT_DAYS = 400;

function keyOf(repository: string, as: MergedWorkKey): Record<string, string> {
  const of = createHash('sha256').update(comparableRepositoryUrl(repository)).digest('hex').slice(0, 16);
  return { [TABLE_KEYS.pk]: `${ITEM_KEY_PREFIXES.landed}${of}#${as}`, [TABLE_KEYS.sk]: 'landed' };
}

/** Whose work a merged request or commit is: one item for each, written as often as it is told. */
export class MergedWorkStore {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#db = db;
    this.#table = table;
  }

  async put(repository: string, as: MergedWorkKey, task: string, now: Date): Promise<void> {
    const Item = { ...keyOf(repository, as), task, [TABLE_KEYS.ttl]: ttlAfterDays(KEPT_DAYS, now) };
    await this.#db.send(new PutCommand({ TableName: this.#table, Item }));
  }

  /** The task that it is of; null where nobody knows. */
  async findTask(repository: string, as: MergedWorkKey): Promise<string | null> {
    const { Item } = await this.#db.send(
      new GetCommand({ TableName: this.#table, Key: keyOf(repository, as) }),
    );
    return Item ? String(Item['task']) : null;
  }
}
