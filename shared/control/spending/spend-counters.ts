import type { Budgets } from '../../contract/models/limits.ts';
import type { Reserved } from '../../contract/task/attempt.ts';
import type { Estimated } from './estimate.ts';

/** One request to reserve money. Amounts are USD. */
export interface Launching {
  /** Key of the reservation: `<task>#<attempt>`, with a suffix where one attempt needs several. */
  readonly attempt: string;
  readonly repository: string;
  readonly estimated: Estimated;
  /** Names the purpose in a refusal; absent: the next attempt. */
  readonly what?: string;
}

/** The daily counters of model spending, as the budget rules need them. The store implements it. */
export interface SpendCounters {
  /** Reserves once under a key, or names the budget that the reservation would exceed. */
  reserve(of: Launching, budgets: Budgets, now: Date): Promise<Reserved | { readonly refused: string }>;
  /** Adds to the reservation of a key each time, or names the budget that this would exceed. */
  raise(of: Launching, budgets: Budgets, now: Date): Promise<Reserved | { readonly refused: string }>;
  /** Returns the open reservations of these keys on these days (`YYYY-MM-DD`). */
  open(keys: readonly string[], days: readonly string[]): Promise<Map<string, Reserved>>;
  /** Opens an empty reservation for judging, unless one exists. */
  openForJudging(attempt: string, now: Date): Promise<Reserved>;
}
