import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import { truncateToBytes } from '../lib/truncate.ts';
import {
  QualityGateCircuitBreaker,
  type QualityGateResult,
  recordQualityGateResult,
} from '../reviews/judging/circuit-breaker.ts';
import { type ItemTable, itemKey } from './item-table.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

/** Days for which a model is remembered that brings nothing. */
const KEPT_DAYS = 7;
/** Models that are listed at most: names of models are anybody's words. */
const LISTED = 50;

const keyOfModel = (model: string) => itemKey(TABLE_ITEM_KEY_PREFIXES.breaker, truncateToBytes(model, 500));

/** The circuit breakers of the quality gate, one item for each model that writes. */
export class CircuitBreakerStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  async read(model: string): Promise<QualityGateCircuitBreaker | null> {
    const item = await this.#table.get(keyOfModel(model));
    return item && QualityGateCircuitBreaker.parse(item);
  }

  /** Counts a mark, once. */
  recordMark(model: string, mark: QualityGateResult): Promise<void> {
    return this.#table.updateVersioned(keyOfModel(model), `the breaker of ${model}`, (item) => {
      const before = item && QualityGateCircuitBreaker.parse(item);
      const after = recordQualityGateResult(before, mark);
      const ttl = computeTtlEpochSeconds(KEPT_DAYS, new Date(mark.at));
      return {
        fields: after === before ? null : { ...after, [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: ttl },
        result: undefined,
      };
    });
  }

  /** Those that have rejected something last, by model. */
  async list(): Promise<(QualityGateCircuitBreaker & { readonly model: string })[]> {
    const { items } = await this.#table.queryPage({ pk: TABLE_ITEM_KEY_PREFIXES.breaker, pageSize: LISTED });
    return items
      .map((item) => ({
        ...QualityGateCircuitBreaker.parse(item),
        model: String(item[TASKS_TABLE_KEY_ATTRIBUTES.sk]),
      }))
      .filter(({ rejected_attempts: rejected }) => rejected.length > 0);
  }
}
