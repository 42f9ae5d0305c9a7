import { createHash } from 'node:crypto';
import { type Budgets, toMicroUsd } from '../contract/models/budgets.ts';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import type { ModelBudgetReservation } from '../contract/task/attempt.ts';
import type { SpendCounters, SpendReservationRequest } from '../control/spending/spend-counters.ts';
import { formatBudgetRefusal } from '../control/spending/task-budget.ts';
import { type ItemTable, itemKey, type TableItem } from './item-table.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

/** Days that the counters are kept. */
const RETENTION_DAYS = 90;
/** Attributes: spent or set aside of all, of a repository, and for an attempt that is under way. */
const TAKEN = 'taken';
const short = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12);
const ofRepository = (url: string): string => `r:${short(url)}`;
const ofAttempt = (attempt: string): string => `o:${short(attempt)}`;

const partition = (day: string): string => `${TABLE_ITEM_KEY_PREFIXES.spend}${day.slice(0, 7)}`;
const keyOf = (day: string): TableItem => itemKey(partition(day), day);
const number = (item: TableItem | null, name: string): number => Number(item?.[name] ?? 0);

/**
 * What goes to models, by day: one item that is only ever changed by one conditional update, so that however many launch at once, they cannot
 * set aside more than there is. What is set aside for an attempt is an attribute of its own, so each step may be repeated.
 */
export class ModelSpendStore implements SpendCounters {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** What was taken in the days of the month before this one: it only changes by what is given back. */
  async #before(day: string): Promise<number> {
    let sum = 0;
    const days = this.#table.query({
      pk: partition(day),
      range: ['#sk < :day', { ':day': day }],
      projection: TAKEN,
      consistent: true,
    });
    for await (const item of days) sum += number(item, TAKEN);
    return sum;
  }

  /** Sets aside what an attempt may cost, once; or says which budget it could exceed. */
  reserve(
    of: SpendReservationRequest,
    budgets: Budgets,
    now: Date,
  ): Promise<ModelBudgetReservation | { readonly refused: string }> {
    return this.#take(of, budgets, now, true);
  }

  /** Sets aside more under the same mark, each time; or says which budget that could exceed. */
  increase(
    of: SpendReservationRequest,
    budgets: Budgets,
    now: Date,
  ): Promise<ModelBudgetReservation | { readonly refused: string }> {
    return this.#take(of, budgets, now, false);
  }

  async #take(
    { reservationId, repository, estimate, purpose }: SpendReservationRequest,
    budgets: Budgets,
    now: Date,
    once: boolean,
  ): Promise<ModelBudgetReservation | { readonly refused: string }> {
    const day = now.toISOString().slice(0, 10);
    const [open, own] = [ofAttempt(reservationId), ofRepository(repository)];
    const before = budgets.deployment_usd === undefined ? 0 : await this.#before(day);
    const limitOf = (usd: number | undefined): number =>
      usd === undefined ? Number.MAX_SAFE_INTEGER : toMicroUsd(usd);
    const all = Math.min(limitOf(budgets.day_usd), limitOf(budgets.deployment_usd) - before);
    const repositories = limitOf(budgets.repository_usd);
    const micro = estimate.highMicro;
    const fits = micro <= all && micro <= repositories;
    const isReserved =
      fits &&
      (await this.#table.updateIf(keyOf(day), {
        UpdateExpression: `SET ${once ? '#open = :micro, ' : ''}#ttl = :ttl ADD ${once ? '' : '#open :micro, '}#taken :micro, #own :micro`,
        ConditionExpression: `${once ? 'attribute_not_exists(#open) AND ' : ''}(attribute_not_exists(#taken) OR #taken <= :all) AND (attribute_not_exists(#own) OR #own <= :repository)`,
        ExpressionAttributeNames: {
          '#open': open,
          '#taken': TAKEN,
          '#own': own,
          '#ttl': TASKS_TABLE_KEY_ATTRIBUTES.ttl,
        },
        ExpressionAttributeValues: {
          ':micro': micro,
          ':all': all - micro,
          ':repository': repositories - micro,
          ':ttl': computeTtlEpochSeconds(RETENTION_DAYS, now),
        },
      }));
    if (isReserved) return { day, micro_usd: micro };
    const item = await this.#table.get(keyOf(day));
    // The answer to an earlier try of this very step was lost.
    if (once && item?.[open] !== undefined) return { day, micro_usd: number(item, open) };
    const limits: readonly (readonly [string, number | undefined, number])[] = [
      ['budget of a repository for a day', budgets.repository_usd, number(item, own)],
      ['budget of the deployment for a day', budgets.day_usd, number(item, TAKEN)],
      ['budget of the deployment for a month', budgets.deployment_usd, before + number(item, TAKEN)],
    ];
    const [name, limit, taken] =
      limits.find(([, usd, spent]) => usd !== undefined && spent + micro > toMicroUsd(usd)) ??
      (['budget of the deployment for a day', budgets.day_usd, number(item, TAKEN)] as const);
    return { refused: formatBudgetRefusal(name, toMicroUsd(limit ?? 0), taken, estimate, purpose) };
  }

  /** What is set aside under some marks, each on the first of some days that have it; one that is missing has nothing, or was settled. */
  async findReservations(
    marks: readonly string[],
    days: readonly string[],
  ): Promise<Map<string, ModelBudgetReservation>> {
    const found = new Map<string, ModelBudgetReservation>();
    for (const day of days) {
      if (found.size === marks.length) break;
      const item = await this.#table.get(keyOf(day));
      for (const mark of marks) {
        const micro = item?.[ofAttempt(mark)];
        if (micro !== undefined && !found.has(mark)) found.set(mark, { day, micro_usd: Number(micro) });
      }
    }
    return found;
  }

  /**
   * Lets the cost of judging an attempt for which nothing was set aside be counted when it is over: models were asked while nothing was limited, or
   * gates have asked some. A repeat changes nothing.
   */
  async openJudgingReservation(attempt: string, now: Date): Promise<ModelBudgetReservation> {
    const day = now.toISOString().slice(0, 10);
    await this.#table.update(keyOf(day), {
      UpdateExpression: 'SET #open = if_not_exists(#open, :nothing), #ttl = :ttl',
      ExpressionAttributeNames: { '#open': ofAttempt(attempt), '#ttl': TASKS_TABLE_KEY_ATTRIBUTES.ttl },
      ExpressionAttributeValues: { ':nothing': 0, ':ttl': computeTtlEpochSeconds(RETENTION_DAYS, now) },
    });
    return { day, micro_usd: 0 };
  }

  /** Puts `counted`, in millionths of a dollar, in the place of what was set aside for an attempt. A repeat changes nothing. */
  async settle(
    { reservationId, repository }: Pick<SpendReservationRequest, 'reservationId' | 'repository'>,
    { day, micro_usd: micro }: ModelBudgetReservation,
    counted: number,
  ): Promise<void> {
    await this.#table.updateIf(keyOf(day), {
      UpdateExpression: 'REMOVE #open ADD #taken :difference, #own :difference',
      ConditionExpression: 'attribute_exists(#open)',
      ExpressionAttributeNames: {
        '#open': ofAttempt(reservationId),
        '#taken': TAKEN,
        '#own': ofRepository(repository),
      },
      ExpressionAttributeValues: { ':difference': counted - micro },
    });
  }

  /** Millionths of a dollar that are spent or set aside on a day. */
  async readDayTotal(day: string): Promise<number> {
    return number(await this.#table.get(keyOf(day)), TAKEN);
  }
}
