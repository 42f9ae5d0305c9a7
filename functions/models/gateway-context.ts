import type { TierModels } from '../../shared/contract/agents/tiers.ts';
import type { GatesModelRoute } from '../../shared/contract/models/gates-models.ts';
import type { ConfiguredPrices } from '../../shared/contract/models/model-prices.ts';
import type { ModelProviders } from '../../shared/contract/models/model-providers.ts';
import type { TierPolicySettings } from '../../shared/control/cascade/learning/cascade-policy.ts';
import type { ModelCallSettlement } from '../../shared/control/model-gateway/usage-meter.ts';
import type { ModelCallStore } from '../../shared/store/model-calls.ts';
import type { ModelSpendStore } from '../../shared/store/model-spend.ts';
import type { TaskStore } from '../../shared/store/task-store.ts';
import type { UsageMeterStore } from '../../shared/store/usage-meters.ts';

/** What the gateway works with. */
export interface ModelGatewayContext {
  readonly tasks: Pick<TaskStore, 'get'>;
  readonly meters: Pick<UsageMeterStore, 'reserve' | 'settle'>;
  /** Where single calls are kept; null: nobody wants them. */
  readonly callStore: Pick<ModelCallStore, 'record'> | null;
  readonly providers: ModelProviders;
  /** What gates may ask; agents may not. */
  readonly gatesModels: readonly GatesModelRoute[];
  /** Models that a challenger may call. */
  readonly challengerModels: readonly GatesModelRoute[];
  /** What may go to models, of what is asked by gates; absent: nothing is limited. */
  readonly budget?: {
    readonly policy: TierPolicySettings;
    readonly spend: Pick<ModelSpendStore, 'increase'>;
    /** A budget has stopped a question. */
    readonly onStop: () => void;
  };
  readonly tiers: TierModels;
  /** The operator's own prices of models; absent: none. */
  readonly prices?: ConfiguredPrices;
  readonly maxAttemptUsd: number;
  readonly now: () => Date;
  /** Milliseconds until a call is given up. */
  readonly deadlineMs: () => number;
  /** Milliseconds between two looks at whether the attempt of a running call has ended. */
  readonly attemptCheckMs?: number;
  /** Once for each call that was made, when it has ended. */
  readonly onCall: (call: ModelCallRecord) => void;
  readonly onProblem: (message: string, details: Record<string, unknown>) => void;
}

/** What is known of a call afterwards; never what was asked or said. */
export interface ModelCallRecord {
  readonly task_id: string;
  readonly attempt: number;
  readonly protocol: string;
  readonly model: string;
  readonly status: number;
  /** Paths of fields that were not sent, because the gateway does not know them. */
  readonly dropped_fields: readonly string[];
  readonly settlement: ModelCallSettlement;
}
