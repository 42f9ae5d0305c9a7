import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ITEM_PREFIX, TABLE } from '../contract/names.ts';
import { Cooling, marked, type ProviderMark } from '../control/cascade/cooling.ts';
import { goneAfter } from './gone-after.ts';
import { keyOf, RevisedItems } from './revised-items.ts';

/** Days after which a provider is forgotten that nobody meets trouble with. */
const KEPT_DAYS = 7;

/** How providers of models fare, one item for each: what one task has met, all others go by. */
export class ProviderStore {
  readonly #items: RevisedItems;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#items = new RevisedItems(db, table);
  }

  /** Counts what an attempt says, once. */
  met(mark: ProviderMark): Promise<void> {
    const { provider } = mark;
    return this.#items.revise(keyOf(ITEM_PREFIX.provider, provider), `provider ${provider}`, (item) => {
      const before = item && Cooling.parse(item);
      const after = marked(before, mark);
      const ttl = goneAfter(KEPT_DAYS, new Date(mark.at));
      return { fields: after === before ? null : { ...after, [TABLE.ttl]: ttl }, result: undefined };
    });
  }

  /** All that trouble was met with, as they stand. */
  async coolings(): Promise<Cooling[]> {
    const { items } = await this.#items.itemsUnder(ITEM_PREFIX.provider);
    return items.map((item) => Cooling.parse(item));
  }
}
