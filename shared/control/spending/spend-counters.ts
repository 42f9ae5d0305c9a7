import type { Budgets } from '../../contract/models/budgets.ts';
import type { ModelBudgetReservation } from '../../contract/task/attempt.ts';
import type { CostEstimate } from './cost-estimate.ts';

/** One request to reserve money. Amounts are USD. */
export interface SpendReservationRequest {
  /** Key of the reservation: `<task>#<attempt>`, with a suffix where one attempt needs several. */
  readonly reservationId: string;
  readonly repository: string;
  readonly estimate: CostEstimate;
  /** Names the purpose in a refusal; absent: the next attempt. */
  readonly purpose?: string;
}

/** The daily counters of model spending, as the budget rules need them. The store implements it. */
export interface SpendCounters {
  /** Reserves once under a key, or names the budget that the reservation would exceed. */
  reserve(
    of: SpendReservationRequest,
    budgets: Budgets,
    now: Date,
  ): Promise<ModelBudgetReservation | { readonly refused: string }>;
  /** Adds to the reservation of a key each time, or names the budget that this would exceed. */
  increase(
    of: SpendReservationRequest,
    budgets: Budgets,
    now: Date,
  ): Promise<ModelBudgetReservation | { readonly refused: string }>;
  /** Returns the open reservations of these keys on these days (`YYYY-MM-DD`). */
  findReservations(
    keys: readonly string[],
    days: readonly string[],
  ): Promise<Map<string, ModelBudgetReservation>>;
  /** Opens an empty reservation for judging, unless one exists. */
  openJudgingReservation(attempt: string, now: Date): Promise<ModelBudgetReservation>;
}
