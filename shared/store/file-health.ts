import { createHash } from 'node:crypto';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import {
  addFileChangeOutcomes,
  type FileChangeOutcome,
  type FileChangeOutcomeHistory,
  MAX_KEPT_FILE_CHANGE_OUTCOMES,
  NO_FILE_CHANGE_OUTCOME_COUNTS,
} from '../control/file-health/file-change-outcomes.ts';
import type { HealthTrackedFile } from '../control/file-health/file-health-views.ts';
import type { FileChangeOutcomeRow } from '../control/ledger/record-rows.ts';
import { type ItemTable, itemKey, type TableItem } from './item-table.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

const PARTITION = `${TABLE_ITEM_KEY_PREFIXES.fileHistory}all`;
/** A file that nobody has touched for so long is forgotten. */
const KEPT_DAYS = 400;
/** Days for which a touch that is part of the sums is remembered by itself: longer than a stream keeps a record. */
const REMEMBERED_DAYS = 7;
/** Files that are written at a time, and that one look reads at most. */
const AT_ONCE = 16;
export const MAX_TRACKED_FILES = 2_000;

const digest = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);
const prefixOf = (repository: string): string => `${digest(repository, 16)}#`;
const keyOfFile = (repository: string, path: string): TableItem =>
  itemKey(PARTITION, `${prefixOf(repository)}${digest(path, 32)}`);

/** As an item has them: shorter than with names. */
type StoredTouch = [
  id: string,
  at: string,
  outcome: FileChangeOutcome['outcome'],
  findings: number,
  flaky: number,
];
const toKept = ({ id, at, outcome, findings, flaky }: FileChangeOutcome): StoredTouch => [
  id,
  at,
  outcome,
  findings,
  flaky,
];
const fromKept = ([id, at, outcome, findings, flaky]: StoredTouch): FileChangeOutcome => ({
  id,
  at,
  outcome,
  findings,
  flaky,
});
const stateOf = (item: TableItem | null): FileChangeOutcomeHistory => ({
  earlier: {
    ...NO_FILE_CHANGE_OUTCOME_COUNTS,
    ...(item?.['earlier'] as FileChangeOutcomeHistory['earlier'] | undefined),
  },
  latest: ((item?.['latest'] as StoredTouch[] | undefined) ?? []).map(fromKept),
});
const fileOf = (item: TableItem): HealthTrackedFile => ({
  ...stateOf(item),
  repository: String(item['repository']),
  path: String(item['path']),
});
const touchOf = ({
  record_id,
  timestamp,
  outcome,
  findings,
  flaky_tests,
}: FileChangeOutcomeRow): FileChangeOutcome => ({
  id: record_id,
  at: timestamp,
  outcome,
  findings,
  flaky: flaky_tests,
});

/** What has happened to files: an item for each that does not grow, right however often and in whatever order records come. */
export class FileHealthStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** Adds records, each once. */
  async recordTouches(rows: readonly FileChangeOutcomeRow[], now: Date): Promise<void> {
    const files = [
      ...Map.groupBy(rows, ({ repository, path }) => JSON.stringify([repository, path])).values(),
    ];
    for (let at = 0; at < files.length; at += AT_ONCE)
      await Promise.all(files.slice(at, at + AT_ONCE).map((each) => this.#touchFile(each, now)));
  }

  async #touchFile(rows: readonly FileChangeOutcomeRow[], now: Date): Promise<void> {
    const [{ repository, path } = { repository: '', path: '' }] = rows;
    const key = keyOfFile(repository, path);
    const once = [...new Map(rows.map((row) => [row.record_id, touchOf(row)])).values()];
    await this.#table.updateVersioned(key, `what is known of ${path}`, async (present) => {
      const before = stateOf(present);
      const fresh = await this.#fresh(once, before, key);
      if (fresh.length === 0) return { fields: null, result: undefined };
      const { state, left } = addFileChangeOutcomes(before, fresh);
      // Before the item no longer lists them.
      await Promise.all(left.map(({ id }) => this.#putAside(id, key, now)));
      const fields = {
        repository,
        path,
        earlier: state.earlier,
        latest: state.latest.map(toKept),
        [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: computeTtlEpochSeconds(KEPT_DAYS, now),
      };
      return { fields, result: undefined };
    });
  }

  /** Those that the item does not know; only one that is full has put others aside. */
  async #fresh(
    touches: readonly FileChangeOutcome[],
    { latest }: FileChangeOutcomeHistory,
    key: TableItem,
  ): Promise<FileChangeOutcome[]> {
    const known = new Set(latest.map(({ id }) => id));
    const unknown = touches.filter(({ id }) => !known.has(id));
    if (latest.length < MAX_KEPT_FILE_CHANGE_OUTCOMES) return unknown;
    const aside = await Promise.all(unknown.map(({ id }) => this.#table.get(this.#asideKey(id, key))));
    return unknown.filter((_, index) => aside[index] === null);
  }

  #asideKey = (id: string, key: TableItem): TableItem =>
    itemKey(
      `${TABLE_ITEM_KEY_PREFIXES.countedState}${id}`,
      `file#${String(key[TASKS_TABLE_KEY_ATTRIBUTES.sk])}`,
    );

  async #putAside(id: string, key: TableItem, now: Date): Promise<void> {
    const ttl = computeTtlEpochSeconds(REMEMBERED_DAYS, now);
    await this.#table.put({ ...this.#asideKey(id, key), [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: ttl });
  }

  /** One file; null: nothing is known of it. */
  async readFile(repository: string, path: string): Promise<HealthTrackedFile | null> {
    const item = await this.#table.get(keyOfFile(repository, path));
    return item && fileOf(item);
  }

  /** All files, or those of one repository; not more than so many. */
  async listFiles(
    repository: string | undefined,
    most = MAX_TRACKED_FILES,
  ): Promise<{ readonly files: HealthTrackedFile[]; readonly truncated: boolean }> {
    const files: HealthTrackedFile[] = [];
    const pages = this.#table.queryPages({
      pk: PARTITION,
      range:
        repository === undefined ? undefined : ['begins_with(#sk, :of)', { ':of': prefixOf(repository) }],
    });
    for await (const { items, after } of pages) {
      files.push(...items.map(fileOf));
      if (files.length >= most)
        return { files: files.slice(0, most), truncated: after !== null || files.length > most };
    }
    return { files, truncated: false };
  }
}
