import { ITEM_KEY_PREFIXES, TABLE_KEYS } from '../contract/resource-names.ts';
import { truncateToBytes } from '../lib/truncate.ts';
import {
  CircuitBreaker,
  type QualityGateResult,
  recordQualityGateResult,
} from '../reviews/judging/circuit-breaker.ts';
import { type ItemTable, itemKey } from './item-table.ts';
import { ttlAfterDays } from './ttl.ts';

/** Days for which a model is remembered that brings nothing. */
const KEPT_DAYS = 7;
/** Models that are listed at most: names of models are anybody's words. */
const LISTED = 50;

const keyOfModel = (model: string) => itemKey(ITEM_KEY_PREFIXES.breaker, truncateToBytes(model, 500));

/** The circuit breakers of the quality gate, one item for each model that writes. */
export class CircuitBreakerStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  async read(model: string): Promise<CircuitBreaker | null> {
    const item = await this.#table.get(keyOfModel(model));
    return item && CircuitBreaker.parse(item);
  }

  /** Counts a mark, once. */
  recordMark(model: string, mark: QualityGateResult): Promise<void> {
    return this.#table.updateVersioned(keyOfModel(model), `the breaker of ${model}`, (item) => {
      const before = item && CircuitBreaker.parse(item);
      const after = recordQualityGateResult(before, mark);
      const ttl = ttlAfterDays(KEPT_DAYS, new Date(mark.at));
      return { fields: after === before ? null : { ...after, [TABLE_KEYS.ttl]: ttl }, result: undefined };
    });
  }

  /** Those that have rejected something last, by model. */
  async list(): Promise<(CircuitBreaker & { readonly model: string })[]> {
    const { items } = await this.#table.queryPage({ pk: ITEM_KEY_PREFIXES.breaker, pageSize: LISTED });
    return items
      .map((item) => ({ ...CircuitBreaker.parse(item), model: String(item[TABLE_KEYS.sk]) }))
      .filter(({ rejected }) => rejected.length > 0);
  }
}
