import * as z from 'zod';
import { TIERS, Tier } from '../../../contract/agents/tiers.ts';
import { TaskComplexity } from '../../../contract/submission/schema.ts';

/** Of a role whatever the complexity, or of one. */
export const TierPinScope = z.union([TaskComplexity, z.literal('any')]);
export type TierPinScope = z.infer<typeof TierPinScope>;

/** Changes that are remembered with a role. */
const MAX_HISTORY = 50;

/** A person's word about what is learned of a role, and its trail. */
export const TierLearningOverrides = z.object({
  /** +1 with each change. */
  revision: z.int().nonnegative(),
  /** Which tier tries first, until that is lifted. */
  pins: z.partialRecord(TierPinScope, Tier),
  /** Outcomes of a tier up to this time are left out of account. */
  since: z.partialRecord(Tier, z.iso.datetime()),
  /** Who did what, when and why; the latest first. */
  history: z.array(
    z.object({
      action: z.enum(['pin', 'unpin', 'reset']),
      complexity: TierPinScope.nullable(),
      tier: Tier.nullable(),
      by: z.string(),
      reason: z.string(),
      at: z.iso.datetime(),
    }),
  ),
});
export type TierLearningOverrides = z.infer<typeof TierLearningOverrides>;

export const NO_TIER_LEARNING_OVERRIDES: TierLearningOverrides = {
  revision: 0,
  pins: {},
  since: {},
  history: [],
};

type OperatorInstruction = Pick<TierLearningOverrides['history'][number], 'by' | 'reason'> & {
  readonly now: Date;
};

const historyWith = (
  control: TierLearningOverrides,
  entry: Omit<TierLearningOverrides['history'][number], 'by' | 'reason' | 'at'>,
  { by, reason, now }: OperatorInstruction,
): Pick<TierLearningOverrides, 'revision' | 'history'> => ({
  revision: control.revision + 1,
  history: [{ ...entry, by, reason, at: now.toISOString() }, ...control.history].slice(0, MAX_HISTORY),
});

/** Has somebody said the same of this scope since it has been as it is? Then the word is one that comes again. */
function isRepeatedPin(
  { history }: TierLearningOverrides,
  complexity: TierPinScope,
  tier: Tier,
  { by, reason }: OperatorInstruction,
): boolean {
  for (const each of history) {
    if (each.complexity !== complexity) continue;
    if (each.action !== 'pin' || each.tier !== tier) return false;
    if (each.by === by && each.reason === reason) return true;
  }
  return false;
}

/** Has one tier try first; null lifts it. Null when that was said already: whoever gives another reason for the same is remembered, too. */
export function setTierPin(
  control: TierLearningOverrides,
  complexity: TierPinScope,
  tier: Tier | null,
  word: OperatorInstruction,
): TierLearningOverrides | null {
  if (
    (control.pins[complexity] ?? null) === tier &&
    (tier === null || isRepeatedPin(control, complexity, tier, word))
  )
    return null;
  const { [complexity]: _, ...others } = control.pins;
  return {
    ...control,
    pins: tier === null ? others : { ...others, [complexity]: tier },
    ...historyWith(control, { action: tier === null ? 'unpin' : 'pin', complexity, tier }, word),
  };
}

/** Leaves out of account what was learned of a tier, or of all, up to now. */
export function resetTierLearning(
  control: TierLearningOverrides,
  tier: Tier | null,
  word: OperatorInstruction,
): TierLearningOverrides {
  const at = word.now.toISOString();
  const since = Object.fromEntries((tier === null ? TIERS : [tier]).map((each) => [each, at]));
  return {
    ...control,
    since: { ...control.since, ...since },
    ...historyWith(control, { action: 'reset', complexity: null, tier }, word),
  };
}

/** The tier that a person wants first for a task, and where it says so; null: nobody does. */
export function findPinnedTier(
  control: TierLearningOverrides,
  complexity: TaskComplexity,
): { tier: Tier; scope: TierPinScope } | null {
  for (const scope of [complexity, 'any'] as const) {
    const tier = control.pins[scope];
    if (tier) return { tier, scope };
  }
  return null;
}
