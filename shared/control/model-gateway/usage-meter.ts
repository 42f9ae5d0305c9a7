import type { TokenUsage } from '../../contract/models/usage.ts';
import type { ProviderCallOutcome, ProviderFailure } from './provider-failure.ts';

/** What was counted for one attempt so far. Money in millionths of a dollar. */
export interface UsageMeter {
  readonly calls: number;
  /** Settled cost. */
  readonly settled: number;
  readonly estimated: number;
  /** Settled calls of models without a price. */
  readonly unpriced: number;
  /** What calls that are not settled may cost at the worst. */
  readonly openReservations: readonly number[];
  /** Tokens by the models that the attempt may call; `(other)` for all that answered in their place. */
  readonly models: Readonly<Record<string, TokenUsage>>;
  /** The first model that answered in the place of another: `asked > answered`; null: none did. */
  readonly substitution: string | null;
  /** The last calls were such that the provider could not do them; null: the last one went well, or there was none. */
  readonly providerFailure: (ProviderFailure & { readonly calls: number }) | null;
}

/** Whether a call may be made: no, because of the budget; no, because the provider has failed too often in a row. */
export type CallReservationResult = 'made' | 'spent' | 'failing';

/** What is written down when a call has ended. */
export interface ModelCallSettlement {
  readonly model: string;
  readonly usage: TokenUsage;
  /** Null: the model has no price. */
  readonly micro: number | null;
  readonly estimated: number;
  /** `asked > answered`, when another model has answered. */
  readonly substitution: string | null;
  readonly end: ProviderCallOutcome;
}
