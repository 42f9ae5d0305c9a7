import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ITEM_PREFIX, TABLE } from '../contract/names.ts';
import { cut } from '../lib/cut.ts';
import { Breaker, type Marked, marked } from '../reviews/judging/breaker.ts';
import { goneAfter } from './gone-after.ts';
import { keyOf, RevisedItems } from './revised-items.ts';

/** Days for which a model is remembered that brings nothing. */
const KEPT_DAYS = 7;
/** Models that are listed at most: names of models are anybody's words. */
const LISTED = 50;

const keyOfModel = (model: string) => keyOf(ITEM_PREFIX.breaker, cut(model, 500));

/** The circuit breakers of the quality gate, one item for each model that writes. */
export class BreakerStore {
  readonly #items: RevisedItems;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#items = new RevisedItems(db, table);
  }

  async read(model: string): Promise<Breaker | null> {
    const item = await this.#items.get(keyOfModel(model));
    return item && Breaker.parse(item);
  }

  /** Counts a mark, once. */
  mark(model: string, mark: Marked): Promise<void> {
    return this.#items.revise(keyOfModel(model), `the breaker of ${model}`, (item) => {
      const before = item && Breaker.parse(item);
      const after = marked(before, mark);
      const ttl = goneAfter(KEPT_DAYS, new Date(mark.at));
      return { fields: after === before ? null : { ...after, [TABLE.ttl]: ttl }, result: undefined };
    });
  }

  /** Those that have rejected something last, by model. */
  async list(): Promise<(Breaker & { readonly model: string })[]> {
    const { items } = await this.#items.itemsUnder(ITEM_PREFIX.breaker, { limit: LISTED });
    return items
      .map((item) => ({ ...Breaker.parse(item), model: String(item[TABLE.sk]) }))
      .filter(({ rejected }) => rejected.length > 0);
  }
}
