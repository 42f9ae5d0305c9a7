import type { AwsJsonClient } from '../http/aws-json.ts';
import { isRecord } from '../properties.ts';
import { type Image, keyOf, sameImage } from './image.ts';
import type { ChangeRecord, Journal } from './journal.ts';
import type { TableSpec } from './tables.ts';

interface RestoreOptions {
  readonly engine: AwsJsonClient;
  readonly journal: Journal;
  readonly tables: readonly TableSpec[];
  /** Takes what a person should know and need not act on. */
  notice(message: string): void;
}

/** Items that are read at a time. */
const BATCH = 50;

/** All that an item was, oldest first. */
type Images = readonly (Image | null)[];

const nameOf = (key: Image): string => JSON.stringify(key);

function imagesByKey(history: readonly ChangeRecord[], table: string): Map<string, (Image | null)[]> {
  const images = new Map<string, (Image | null)[]>();
  for (const change of history) {
    if (change.table !== table) continue;
    const name = nameOf(change.key);
    const known = images.get(name);
    if (known === undefined) images.set(name, [change.old, change.new]);
    else known.push(change.new);
  }
  return images;
}

async function read(engine: AwsJsonClient, table: TableSpec, names: readonly string[]) {
  const found = new Map<string, Image>();
  let asked: unknown = {
    [table.name]: { Keys: names.map((name) => JSON.parse(name)), ConsistentRead: true },
  };
  while (isRecord(asked) && Object.keys(asked).length > 0) {
    const { Responses: answers, UnprocessedKeys } = await engine.expect('BatchGetItem', {
      RequestItems: asked,
    });
    const items = isRecord(answers) ? answers[table.name] : [];
    for (const item of Array.isArray(items) ? (items as Image[]) : []) {
      const key = keyOf(item, table.keyNames);
      if (key !== null) found.set(nameOf(key), item);
    }
    asked = UnprocessedKeys;
  }
  return found;
}

/**
 * Holds the tables against the journal, which has every change that was acknowledged. An item that stands as it was before is behind, as when
 * the end of the engine's log is lost: it is brought back to the newest that is known. One that stands as it never was is ahead, as when the end
 * of the journal is lost: it stays, and its change is recorded, so that what is to follow from it does. To be called before interrupted writes
 * are ended.
 */
export async function restore({ engine, journal, tables, notice }: RestoreOptions): Promise<void> {
  const history = journal.takeHistory();
  const inWork = new Set([...journal.unfinished.values()].map(({ table, key }) => `${table} ${nameOf(key)}`));

  async function bringBack(table: TableSpec, name: string, newest: Image | null): Promise<void> {
    if (newest === null)
      await engine.expect('DeleteItem', { TableName: table.name, Key: JSON.parse(name) as Image });
    else await engine.expect('PutItem', { TableName: table.name, Item: newest });
  }

  function record(table: TableSpec, name: string, old: Image | null, item: Image | null): void {
    const key = JSON.parse(name) as Image;
    const id = journal.begin({
      table: table.name,
      operation: 'PutItem',
      request: {},
      key,
      old,
      byService: false,
    });
    journal.end(id, { table: table.name, at: Date.now(), key, old, new: item, byService: false });
  }

  async function restoreTable(table: TableSpec): Promise<{ behind: number; ahead: number }> {
    const images = imagesByKey(history, table.name);
    const names = [...images.keys()];
    let [behind, ahead] = [0, 0];
    for (let from = 0; from < names.length; from += BATCH) {
      const page = names.slice(from, from + BATCH);
      const stored = await read(engine, table, page);
      for (const name of page) {
        const item = stored.get(name) ?? null;
        const known: Images = images.get(name) ?? [];
        const newest = known.at(-1) ?? null;
        if (sameImage(item, newest)) continue;
        if (known.some((image) => sameImage(image, item))) {
          await bringBack(table, name, newest);
          behind += 1;
        } else if (!inWork.has(`${table.name} ${name}`)) {
          record(table, name, newest, item);
          ahead += 1;
        }
      }
    }
    return { behind, ahead };
  }

  for (const table of tables) {
    if (table.stream === null) continue;
    const { behind, ahead } = await restoreTable(table);
    if (behind > 0)
      notice(
        `${table.name}: ${behind} items were older than the journal says, and are brought back from it; nothing is lost`,
      );
    if (ahead > 0)
      notice(
        `${table.name}: ${ahead} items were newer than the journal says; their changes are recorded now`,
      );
  }
}
