import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import {
  TABLE_INDEXES,
  TASK_SUMMARY_ATTRIBUTES,
  TASKS_TABLE_KEY_ATTRIBUTES,
} from '../../../shared/contract/resource-names.ts';
import {
  compareValues,
  type ExpressionValues,
  parseCondition,
  type TableItem,
} from './dynamodb-expression.ts';
import { MAX_ITEM_BYTES, toStoredItem } from './stored-item.ts';
import { applyUpdateExpression } from './update-expression.ts';

/** One write, as a stream would carry it. */
export interface TableWrite {
  readonly sequence: number;
  readonly key: TableItem;
  readonly before: TableItem | null;
  readonly after: TableItem | null;
}

interface Slot {
  readonly item: TableItem | null;
  /** What an index that is behind still sees, and since when it should not. */
  readonly earlier: TableItem | null;
  readonly since: number;
}

/** The input of any command of the document client. */
export interface TableCommandInput {
  readonly Key?: TableItem;
  readonly Item?: TableItem;
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: ExpressionValues;
  readonly ReturnValuesOnConditionCheckFailure?: string;
  readonly ReturnValues?: string;
  readonly IndexName?: string;
  readonly Limit?: number;
  readonly ScanIndexForward?: boolean;
  readonly ExclusiveStartKey?: TableItem;
  readonly Select?: string;
  readonly ConsistentRead?: boolean;
  readonly RequestItems?: Readonly<
    Record<
      string,
      { readonly Keys?: readonly TableItem[] | undefined; readonly ConsistentRead?: boolean | undefined }
    >
  >;
}

const texts = new WeakMap<TableItem, string>();
/** An item as one text, made once: items are frozen. */
function textOf(item: TableItem | null): string {
  if (item === null) return '';
  const text = texts.get(item) ?? JSON.stringify(item);
  texts.set(item, text);
  return text;
}

class ValidationException extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ValidationException';
  }
}

const PRIMARY = { pk: TASKS_TABLE_KEY_ATTRIBUTES.pk, sk: TASKS_TABLE_KEY_ATTRIBUTES.sk };
const projected = (name: string): readonly string[] => [
  ...Object.values(PRIMARY),
  ...Object.values(TABLE_INDEXES).flatMap((index) => (index.name === name ? [index.pk, index.sk] : [])),
  ...(name === TABLE_INDEXES.byStatus.name ? TASK_SUMMARY_ATTRIBUTES : []),
];
const pick = (item: TableItem, names: readonly string[]): TableItem =>
  Object.fromEntries(names.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));

/** What an index shows of an item; undefined: it is not in it. */
export function projectIntoIndex(name: string, item: TableItem | undefined): TableItem | undefined {
  const index = Object.values(TABLE_INDEXES).find((each) => each.name === name);
  if (!item || !index || item[index.pk] === undefined || item[index.sk] === undefined) return undefined;
  return pick(item, projected(name));
}

/**
 * The Tasks table in memory: the operations that shared/store/ uses, on plain values, with DynamoDB's conditions, size limit and index
 * projections. Whatever else is asked of it is an error. test/lab/simulator/table.test.ts holds it against dynalite.
 */
export class SimulatedTable {
  readonly #slots = new Map<string, Slot>();
  readonly #now: () => number;
  readonly #lag: () => number;
  #sequence = 0;
  /** Told of each write that changed something, at once. */
  onWrite: (write: TableWrite) => void = () => {};

  constructor(now: () => number, indexLag: () => number) {
    this.#now = now;
    this.#lag = indexLag;
  }

  items(): TableItem[] {
    return [...this.#slots.values()].flatMap(({ item }) => (item ? [item] : []));
  }

  run(operation: string, input: TableCommandInput): Record<string, unknown> {
    switch (operation) {
      case 'GetCommand': {
        const item = this.#at(input.Key);
        return item ? { Item: this.#projection(item, input) } : {};
      }
      case 'BatchGetCommand':
        return {
          Responses: Object.fromEntries(
            Object.entries(input.RequestItems ?? {}).map(([name, { Keys = [] }]) => [
              name,
              Keys.flatMap((key) => this.#at(key) ?? []),
            ]),
          ),
        };
      case 'PutCommand':
        this.#check(this.#at(input.Item), input);
        return this.#write(input.Item as TableItem, input.Item as TableItem);
      case 'UpdateCommand': {
        const present = this.#at(input.Key);
        this.#check(present, input);
        const {
          UpdateExpression = '',
          ExpressionAttributeNames = {},
          ExpressionAttributeValues = {},
        } = input;
        const item = applyUpdateExpression(
          UpdateExpression,
          ExpressionAttributeNames,
          ExpressionAttributeValues,
          present ?? input.Key ?? {},
        );
        this.#write(input.Key as TableItem, item);
        return input.ReturnValues === 'ALL_NEW' ? { Attributes: this.#at(input.Key) } : {};
      }
      case 'DeleteCommand':
        this.#check(this.#at(input.Key), input);
        return this.#write(input.Key as TableItem, null);
      case 'QueryCommand':
        return this.#query(input);
      default:
        throw new Error(`the simulated table has no ${operation}`);
    }
  }

  #keyOf(item: TableItem | undefined): string {
    const [pk, sk] = [item?.[TASKS_TABLE_KEY_ATTRIBUTES.pk], item?.[TASKS_TABLE_KEY_ATTRIBUTES.sk]];
    if (typeof pk !== 'string' || typeof sk !== 'string') throw new ValidationException('a key is missing');
    return `${pk}\u0000${sk}`;
  }

  #at(key: TableItem | undefined): TableItem | undefined {
    return this.#slots.get(this.#keyOf(key))?.item ?? undefined;
  }

  #check(present: TableItem | undefined, input: TableCommandInput): void {
    const {
      ConditionExpression: source,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values = {},
    } = input;
    if (source === undefined || parseCondition(source, names)(present, values)) return;
    const shown = present && input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
    throw new ConditionalCheckFailedException({
      message: 'The conditional request failed',
      $metadata: {},
      ...(shown ? { Item: marshall(present) } : {}),
    });
  }

  #write(key: TableItem, item: TableItem | null): Record<string, never> {
    const name = this.#keyOf(key);
    const slot = this.#slots.get(name);
    const before = slot?.item ?? null;
    const { value, bytes } = item === null ? { value: null, bytes: 0 } : toStoredItem(item);
    if (bytes > MAX_ITEM_BYTES)
      throw new ValidationException('Item size has exceeded the maximum allowed size');
    for (const index of Object.values(TABLE_INDEXES))
      for (const attribute of [index.pk, index.sk])
        if (item && item[attribute] !== undefined && typeof item[attribute] !== 'string')
          throw new ValidationException(`the index key ${attribute} must be a text`);
    const after = value as TableItem | null;
    this.#slots.set(name, { item: after, earlier: before, since: this.#now() });
    if (textOf(before) !== textOf(after) || after === null)
      this.onWrite({ sequence: ++this.#sequence, key: pick(key, Object.values(PRIMARY)), before, after });
    return {};
  }

  #projection(item: TableItem, input: TableCommandInput): TableItem {
    if (input.ProjectionExpression === undefined) return item;
    const names = input.ProjectionExpression.split(',').map((each) => each.trim());
    return pick(
      item,
      names.map((name) => input.ExpressionAttributeNames?.[name] ?? name),
    );
  }

  #query(input: TableCommandInput): Record<string, unknown> {
    const index = Object.values(TABLE_INDEXES).find(({ name }) => name === input.IndexName);
    if (input.IndexName !== undefined && !index) throw new ValidationException(`no index ${input.IndexName}`);
    const keys = index ?? PRIMARY;
    const names = input.ExpressionAttributeNames;
    const values = input.ExpressionAttributeValues ?? {};
    const holds = parseCondition(input.KeyConditionExpression ?? '', names);
    const forward = input.ScanIndexForward === false ? -1 : 1;
    const horizon = this.#now() - (index ? this.#lag() : 0);
    const rank = (a: TableItem, b: TableItem): number =>
      forward * (compareValues(a[keys.sk], b[keys.sk]) ?? 0);
    const found = [...this.#slots.values()]
      .flatMap(({ item, earlier, since }): TableItem[] => {
        const seen = index && since > horizon ? earlier : item;
        return seen ? [seen] : [];
      })
      .filter((item) => item[keys.pk] !== undefined && item[keys.sk] !== undefined && holds(item, values))
      .sort(rank);
    const start = input.ExclusiveStartKey;
    const rest = start ? found.filter((item) => rank(item, start) > 0) : found;
    const page = rest.slice(0, input.Limit ?? rest.length);
    const last = page.length < rest.length ? page.at(-1) : undefined;
    const filter =
      input.FilterExpression === undefined ? null : parseCondition(input.FilterExpression, names);
    const kept = page.filter((item) => filter?.(item, values) ?? true);
    const shown = kept.map((item) =>
      this.#projection(index ? pick(item, projected(index.name)) : item, input),
    );
    return {
      ...(input.Select === 'COUNT' ? {} : { Items: shown }),
      Count: kept.length,
      ScannedCount: page.length,
      ...(last
        ? { LastEvaluatedKey: pick(last, [...new Set([...Object.values(PRIMARY), keys.pk, keys.sk])]) }
        : {}),
    };
  }
}
