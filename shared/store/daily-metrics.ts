import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import { addDailyMetrics, type DailyMetrics, EMPTY_DAILY_METRICS } from '../control/metrics/daily-metrics.ts';
import type { RecordMetricsGroup } from '../control/metrics/record-metrics.ts';
import { type ItemTable, itemKey, type TableItem } from './item-table.ts';
import { computeShard } from './shard.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

/** Items of a day: writers of the same one race. */
const SHARDS = 4;
/** Facts that an item knows to be in it; older ones are put into items of their own. */
const KEPT_FACTS = 32;
const KEPT_DAYS = 400;
/** Days for which a fact is remembered beside its item: longer than a stream keeps a record. */
const REMEMBERED_DAYS = 7;

const keyOfDay = ({ id, date }: RecordMetricsGroup): TableItem =>
  itemKey(
    `${TABLE_ITEM_KEY_PREFIXES.dailyMetrics}${date.slice(0, 7)}`,
    `${date}#${computeShard(id, SHARDS)}`,
  );
const factKey = (id: string): TableItem => itemKey(`${TABLE_ITEM_KEY_PREFIXES.countedState}${id}`, 'figures');

/**
 * Figures by day that are right however often a fact is delivered: figures and the facts that were counted last are one item, written
 * under the condition that it is as it was read. A fact that goes out of the list is first written into an item of its own.
 */
export class DailyMetricsStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** Counts facts, each once, however often they come. Answers how many had not been counted before. */
  async addFacts(facts: readonly RecordMetricsGroup[], now: Date): Promise<number> {
    const items = Map.groupBy(facts, (fact) => JSON.stringify(keyOfDay(fact)));
    let counted = 0;
    for (const [key, all] of items)
      for (let at = 0; at < all.length; at += KEPT_FACTS / 2)
        // What is new stays in the item: beside it, it would be taken for counted before it is.
        counted += await this.#add(JSON.parse(key) as TableItem, all.slice(at, at + KEPT_FACTS / 2), now);
    return counted;
  }

  #add(key: TableItem, facts: readonly RecordMetricsGroup[], now: Date): Promise<number> {
    return this.#table.updateVersioned(
      key,
      `an item of the figures (${key[TASKS_TABLE_KEY_ATTRIBUTES.sk]})`,
      async (present) => {
        const known = (present?.['facts'] as string[] | undefined) ?? [];
        const beside = await Promise.all(facts.map(({ id }) => this.#table.get(factKey(id))));
        const fresh = facts.filter(({ id }, index) => !known.includes(id) && beside[index] === null);
        if (fresh.length === 0) return { fields: null, result: 0 };
        const all = [...known, ...fresh.map(({ id }) => id)];
        const spilled = all.slice(0, Math.max(0, all.length - KEPT_FACTS));
        await Promise.all(spilled.map((id) => this.#remember(id, now)));
        const before = (present?.['figures'] as DailyMetrics | undefined) ?? EMPTY_DAILY_METRICS;
        const fields = {
          figures: fresh.reduce((sum, { metrics }) => addDailyMetrics(sum, metrics), before),
          facts: all.slice(spilled.length),
          [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: computeTtlEpochSeconds(KEPT_DAYS, now),
        };
        return { fields, result: fresh.length };
      },
    );
  }

  async #remember(id: string, now: Date): Promise<void> {
    await this.#table.put({
      ...factKey(id),
      [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: computeTtlEpochSeconds(REMEMBERED_DAYS, now),
    });
  }

  /** Figures by day, of the days from `first` to `last` that have any. */
  async readDays(first: string, last: string): Promise<Map<string, DailyMetrics>> {
    const days = new Map<string, DailyMetrics>();
    for (const month of monthsBetween(first, last)) {
      const items = this.#table.query({
        pk: `${TABLE_ITEM_KEY_PREFIXES.dailyMetrics}${month}`,
        // The last bound sorts after every shard of the day.
        range: ['#sk BETWEEN :first AND :last', { ':first': first, ':last': `${last}#~` }],
      });
      for await (const item of items) {
        const day = String(item[TASKS_TABLE_KEY_ATTRIBUTES.sk]).slice(0, 10);
        const before = days.get(day) ?? EMPTY_DAILY_METRICS;
        days.set(day, addDailyMetrics(before, item['figures'] as DailyMetrics));
      }
    }
    return days;
  }
}

/** Months as YYYY-MM, from that of one day to that of another. */
function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  const month = new Date(`${first.slice(0, 7)}-01T00:00:00Z`);
  while (month.toISOString().slice(0, 7) <= last.slice(0, 7)) {
    months.push(month.toISOString().slice(0, 7));
    month.setUTCMonth(month.getUTCMonth() + 1);
  }
  return months;
}
