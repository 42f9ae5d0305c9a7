import { createHash } from 'node:crypto';
import { type DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { ITEM_PREFIX, TABLE } from '../contract/names.ts';
import { type FileState, KEPT, NO_TOUCHES, type Touch, touched } from '../control/file-health/state.ts';
import type { TouchedFile } from '../control/file-health/view.ts';
import type { FileRow } from '../control/ledger/rows.ts';
import { goneAfter } from './gone-after.ts';
import { type Item, keyOf, RevisedItems } from './revised-items.ts';

const PARTITION = `${ITEM_PREFIX.file}all`;
/** A file that nobody has touched for so long is forgotten. */
const KEPT_DAYS = 400;
/** Days for which a touch that is part of the sums is remembered by itself: longer than a stream keeps a record. */
const REMEMBERED_DAYS = 7;
/** Files that are written at a time, and that one look reads at most. */
const AT_ONCE = 16;
export const MOST_FILES = 2_000;

const digest = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);
const prefixOf = (repository: string): string => `${digest(repository, 16)}#`;
const keyOfFile = (repository: string, path: string): Item =>
  keyOf(PARTITION, `${prefixOf(repository)}${digest(path, 32)}`);

/** As an item has them: shorter than with names. */
type Kept = [id: string, at: string, outcome: Touch['outcome'], findings: number, flaky: number];
const toKept = ({ id, at, outcome, findings, flaky }: Touch): Kept => [id, at, outcome, findings, flaky];
const fromKept = ([id, at, outcome, findings, flaky]: Kept): Touch => ({ id, at, outcome, findings, flaky });
const stateOf = (item: Item | null): FileState => ({
  earlier: { ...NO_TOUCHES, ...(item?.['earlier'] as FileState['earlier'] | undefined) },
  latest: ((item?.['latest'] as Kept[] | undefined) ?? []).map(fromKept),
});
const fileOf = (item: Item): TouchedFile => ({
  ...stateOf(item),
  repository: String(item['repository']),
  path: String(item['path']),
});
const touchOf = ({ record_id, timestamp, outcome, findings, flaky_tests }: FileRow): Touch => ({
  id: record_id,
  at: timestamp,
  outcome,
  findings,
  flaky: flaky_tests,
});

/** What has happened to files: an item for each that does not grow, right however often and in whatever order records come. */
export class FileStore {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;
  readonly #items: RevisedItems;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#db = db;
    this.#table = table;
    this.#items = new RevisedItems(db, table);
  }

  /** Adds records, each once. */
  async touch(rows: readonly FileRow[], now: Date): Promise<void> {
    const files = [
      ...Map.groupBy(rows, ({ repository, path }) => JSON.stringify([repository, path])).values(),
    ];
    for (let at = 0; at < files.length; at += AT_ONCE)
      await Promise.all(files.slice(at, at + AT_ONCE).map((each) => this.#touchFile(each, now)));
  }

  async #touchFile(rows: readonly FileRow[], now: Date): Promise<void> {
    const [{ repository, path } = { repository: '', path: '' }] = rows;
    const key = keyOfFile(repository, path);
    const once = [...new Map(rows.map((row) => [row.record_id, touchOf(row)])).values()];
    await this.#items.revise(key, `what is known of ${path}`, async (present) => {
      const before = stateOf(present);
      const fresh = await this.#fresh(once, before, key);
      if (fresh.length === 0) return { fields: null, result: undefined };
      const { state, left } = touched(before, fresh);
      // Before the item no longer lists them.
      await Promise.all(left.map(({ id }) => this.#putAside(id, key, now)));
      const fields = {
        repository,
        path,
        earlier: state.earlier,
        latest: state.latest.map(toKept),
        [TABLE.ttl]: goneAfter(KEPT_DAYS, now),
      };
      return { fields, result: undefined };
    });
  }

  /** Those that the item does not know; only one that is full has put others aside. */
  async #fresh(touches: readonly Touch[], { latest }: FileState, key: Item): Promise<Touch[]> {
    const known = new Set(latest.map(({ id }) => id));
    const unknown = touches.filter(({ id }) => !known.has(id));
    if (latest.length < KEPT) return unknown;
    const aside = await Promise.all(unknown.map(({ id }) => this.#items.get(this.#asideKey(id, key))));
    return unknown.filter((_, index) => aside[index] === null);
  }

  #asideKey = (id: string, key: Item): Item =>
    keyOf(`${ITEM_PREFIX.counted}${id}`, `file#${String(key[TABLE.sk])}`);

  async #putAside(id: string, key: Item, now: Date): Promise<void> {
    const Item = { ...this.#asideKey(id, key), [TABLE.ttl]: goneAfter(REMEMBERED_DAYS, now) };
    await this.#db.send(new PutCommand({ TableName: this.#table, Item }));
  }

  /** One file; null: nothing is known of it. */
  async file(repository: string, path: string): Promise<TouchedFile | null> {
    const item = await this.#items.get(keyOfFile(repository, path));
    return item && fileOf(item);
  }

  /** All files, or those of one repository; not more than so many. */
  async files(
    repository: string | undefined,
    most = MOST_FILES,
  ): Promise<{ readonly files: TouchedFile[]; readonly truncated: boolean }> {
    const files: TouchedFile[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const answer = await this.#db.send(
        new QueryCommand({
          TableName: this.#table,
          KeyConditionExpression: `#pk = :pk${repository === undefined ? '' : ' AND begins_with(#sk, :of)'}`,
          ExpressionAttributeNames: { '#pk': TABLE.pk, ...(repository !== undefined && { '#sk': TABLE.sk }) },
          ExpressionAttributeValues: {
            ':pk': PARTITION,
            ...(repository !== undefined && { ':of': prefixOf(repository) }),
          },
          ...(after ? { ExclusiveStartKey: after } : {}),
        }),
      );
      files.push(...(answer.Items ?? []).map(fileOf));
      after = answer.LastEvaluatedKey;
    } while (after && files.length < most);
    return { files: files.slice(0, most), truncated: after !== undefined || files.length > most };
  }
}
