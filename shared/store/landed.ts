import { createHash } from 'node:crypto';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { ITEM_PREFIX, TABLE } from '../contract/names.ts';
import { plainRepository } from '../contract/repository/url.ts';
import type { LandedAs } from '../contract/task/landed.ts';
import { goneAfter } from './gone-after.ts';

/** Who reverts what was merged longer ago is not told whose work it was. */
const KEPT_DAYS = 400;

function keyOf(repository: string, as: LandedAs): Record<string, string> {
  const of = createHash('sha256').update(plainRepository(repository)).digest('hex').slice(0, 16);
  return { [TABLE.pk]: `${ITEM_PREFIX.landed}${of}#${as}`, [TABLE.sk]: 'landed' };
}

/** Whose work a merged request or commit is: one item for each, written as often as it is told. */
export class LandedStore {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#db = db;
    this.#table = table;
  }

  async put(repository: string, as: LandedAs, task: string, now: Date): Promise<void> {
    const Item = { ...keyOf(repository, as), task, [TABLE.ttl]: goneAfter(KEPT_DAYS, now) };
    await this.#db.send(new PutCommand({ TableName: this.#table, Item }));
  }

  /** The task that it is of; null where nobody knows. */
  async taskOf(repository: string, as: LandedAs): Promise<string | null> {
    const { Item } = await this.#db.send(
      new GetCommand({ TableName: this.#table, Key: keyOf(repository, as) }),
    );
    return Item ? String(Item['task']) : null;
  }
}
