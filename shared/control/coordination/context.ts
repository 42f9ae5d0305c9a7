import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type {
  CoordinationHook,
  CoordinationMiddlewareName,
} from '../../contract/coordination/coordination-names.ts';
import type { FailedPlanPart, ProgressLedger, TaskLedger } from '../../contract/coordination/ledgers.ts';
import type { CoordinationSettings } from '../../contract/coordination/settings.ts';

/** What passes through the chain of a plan; each hook answers with the next one. */
export interface PlanCoordinationContext {
  readonly task_id: string;
  /** What is asked for, in words. */
  readonly goal: string;
  readonly criteria: readonly string[];
  readonly settings: CoordinationSettings;
  /** How much may happen without a person; null: nobody has said, and a person is asked. */
  readonly autonomy: AutonomyLevel | null;
  /** The plan in words; null: there is none. */
  readonly plan: { readonly text: string; readonly version: number; readonly at: string } | null;
  /** What has become of its tasks; null: nothing yet. */
  readonly taskResults: { readonly completed: number; readonly text: string } | null;
  readonly failedPhases: readonly FailedPlanPart[];
  /** Whether there is money for another plan. */
  readonly isReplanAffordable: boolean;
  readonly task_ledger: TaskLedger | null;
  readonly progress_ledger: ProgressLedger | null;
  /** The ledger that a new plan begins with; null: it is not planned anew. */
  readonly replanLedger: ProgressLedger | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export type CoordinationMiddleware = { readonly name: CoordinationMiddlewareName } & {
  readonly [Hook in CoordinationHook]?: (context: PlanCoordinationContext) => PlanCoordinationContext;
};

export const addCoordinationMetadata = (
  context: PlanCoordinationContext,
  key: string,
  value: unknown,
): PlanCoordinationContext => ({
  ...context,
  metadata: { ...context.metadata, [key]: structuredClone(value) },
});

/** Passes a hook of a chain, from its first to its last. What one throws is thrown on; the later ones do not run. */
export const runCoordinationHook = (
  chain: readonly CoordinationMiddleware[],
  hook: CoordinationHook,
  given: PlanCoordinationContext,
): PlanCoordinationContext => chain.reduce((context, each) => each[hook]?.(context) ?? context, given);
