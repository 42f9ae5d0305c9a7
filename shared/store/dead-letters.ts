import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { INDEXES, ITEM_PREFIX, TABLE } from '../contract/names.ts';
import { KEPT_DAYS, NO_LANE, nextAt } from '../control/dead-letters/lane.ts';
import { Lane } from '../control/dead-letters/schema.ts';
import { isOpen } from '../control/dead-letters/status.ts';
import { goneAfter } from './gone-after.ts';
import { keyOf, RevisedItems } from './revised-items.ts';

const { name: INDEX, pk: INDEX_PK, sk: INDEX_SK } = INDEXES.byDeadline;
/** Of the index; the reconciler looks at other ones. */
const PARTITION = 'dead-letters';
const DUE_AT_A_TIME = 50;
/** Where one stands that waits for a person. */
const NEVER = '9999-12-31T23:59:59.999Z';
/** Lanes that are counted at most. */
const COUNTED = 100;

export interface LanePage {
  readonly lanes: readonly Lane[];
  /** Name of the last lane, where there are more. */
  readonly after: string | null;
}

const fieldsOf = (name: string, lane: Lane, now: Date): Record<string, unknown> => {
  const at = nextAt(lane);
  const isClosed = lane.letters.every(({ status }) => !isOpen(status));
  return {
    ...lane,
    ...(!isClosed && { [INDEX_PK]: PARTITION, [INDEX_SK]: `${at ?? NEVER}#${name}` }),
    ...(isClosed && { [TABLE.ttl]: goneAfter(KEPT_DAYS, now) }),
  };
};

/** Operations that have failed for good: an item for each task, or each other thing, so that one conditional write keeps their order. */
export class DeadLetterStore {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;
  readonly #items: RevisedItems;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#db = db;
    this.#table = table;
    this.#items = new RevisedItems(db, table);
  }

  async lane(name: string): Promise<Lane> {
    const item = await this.#items.get(keyOf(ITEM_PREFIX.deadLetter, name));
    return item ? Lane.parse(item) : NO_LANE;
  }

  /** Changes a lane under the condition that it is as it was read. `change` answers null where there is nothing to change. */
  revisedLane(name: string, now: Date, change: (lane: Lane) => Lane | null): Promise<Lane> {
    return this.#items.revise(keyOf(ITEM_PREFIX.deadLetter, name), `dead letters of ${name}`, (item) => {
      const present = item ? Lane.parse(item) : NO_LANE;
      const next = change(present);
      return { fields: next && fieldsOf(name, next, now), result: next ?? present };
    });
  }

  /** All lanes, by name. */
  async lanes(limit: number, after: string | null): Promise<LanePage> {
    const page = await this.#items.itemsUnder(ITEM_PREFIX.deadLetter, { limit, after });
    return { lanes: page.items.map((item) => Lane.parse(item)), after: page.after };
  }

  /** In how many lanes something is open; counts no further than 100. */
  async openLanes(): Promise<number> {
    const { Count = 0 } = await this.#db.send(
      new QueryCommand({
        TableName: this.#table,
        IndexName: INDEX,
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': INDEX_PK },
        ExpressionAttributeValues: { ':pk': PARTITION },
        Select: 'COUNT',
        Limit: COUNTED,
      }),
    );
    return Count;
  }

  /** Names of the lanes in which something is due, the most overdue first. */
  async dueLanes(now: Date): Promise<string[]> {
    const { Items = [] } = await this.#db.send(
      new QueryCommand({
        TableName: this.#table,
        IndexName: INDEX,
        KeyConditionExpression: '#pk = :pk AND #sk < :until',
        ExpressionAttributeNames: { '#pk': INDEX_PK, '#sk': INDEX_SK },
        // "$" comes after "#": all that is due in this very millisecond is in.
        ExpressionAttributeValues: { ':pk': PARTITION, ':until': `${now.toISOString()}$` },
        Limit: DUE_AT_A_TIME,
      }),
    );
    return Items.map((item) => String(item[INDEX_SK])).map((rank) => rank.slice(rank.indexOf('#') + 1));
  }
}
