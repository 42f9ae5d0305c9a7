import type { Usage } from '../../contract/models/usage.ts';
import type { CallEnd, Trouble } from './trouble.ts';

/** What was counted for one attempt so far. Money in millionths of a dollar. */
export interface Meter {
  readonly calls: number;
  /** Settled cost. */
  readonly spent: number;
  readonly estimated: number;
  /** Settled calls of models without a price. */
  readonly unpriced: number;
  /** What calls that are not settled may cost at the worst. */
  readonly open: readonly number[];
  readonly models: Readonly<Record<string, Usage>>;
  /** Models that have answered in the place of another: `asked > answered`. */
  readonly mistaken: readonly string[];
  /** The last calls were such that the provider could not do them; null: the last one went well, or there was none. */
  readonly trouble: (Trouble & { readonly calls: number }) | null;
}

/** Whether a call may be made: no, because of the budget; no, because the provider has failed too often in a row. */
export type Reservation = 'made' | 'spent' | 'failing';

/** What is written down when a call has ended. */
export interface Settlement {
  readonly model: string;
  readonly usage: Usage;
  /** Null: the model has no price. */
  readonly micro: number | null;
  readonly estimated: number;
  /** `asked > answered`, when another model has answered. */
  readonly mistaken: string | null;
  readonly end: CallEnd;
}
