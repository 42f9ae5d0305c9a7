import * as z from 'zod';
import { needsPerson, RISKS, type Risk } from '../../contract/approval/risk.ts';
import type { Moment } from '../../contract/approval/schema.ts';

/** Longest that anything waits, in minutes: a year. */
const Minutes = z.number().positive().max(527_040);

const Tier = z.strictObject({
  minutes: Minutes,
  /** Actions that belong to it whatever their risk is. */
  actions: z.array(z.string().min(1)).max(100).optional(),
  outcome: z.enum(['deny', 'approve']).default('deny'),
});
type Tier = z.infer<typeof Tier>;

/** What becomes of an approval that nobody decides. */
export const ApprovalPolicy = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('wait') }),
  z.strictObject({ kind: z.literal('deny'), minutes: Minutes }),
  z.strictObject({ kind: z.literal('tiered'), tiers: z.partialRecord(z.enum(RISKS), Tier) }),
  z.strictObject({
    kind: z.literal('escalation'),
    steps: z
      .array(z.strictObject({ role: z.string().trim().min(1).max(64), minutes: Minutes }))
      .min(1)
      .max(10),
    outcome: z.enum(['deny', 'approve']).default('deny'),
  }),
]);
export type ApprovalPolicy = z.infer<typeof ApprovalPolicy>;

export const DEFAULT_APPROVAL_POLICY: ApprovalPolicy = { kind: 'deny', minutes: 240 };

export interface Timetable {
  readonly timetable: Moment[];
  /** Whose turn it is first; null: anybody's who may review. */
  readonly waits_for: string | null;
}

const NEVER: Timetable = { timetable: [], waits_for: null };

/** Time alone never lets through what only a person may allow. */
const ending = (outcome: 'deny' | 'approve', risk: Risk): 'deny' | 'approve' =>
  needsPerson(risk) ? 'deny' : outcome;

/** The tier of an action: one that names it, else that of its risk. */
function tierOf(tiers: Readonly<Partial<Record<Risk, Tier>>>, action: string, risk: Risk): Tier | undefined {
  return RISKS.map((each) => tiers[each]).find((tier) => tier?.actions?.includes(action)) ?? tiers[risk];
}

/** What a policy means for one approval that is asked for now. */
export function timetable(
  policy: ApprovalPolicy,
  { action, risk }: { readonly action: string; readonly risk: Risk },
  now: Date,
): Timetable {
  const after = (minutes: number): string => new Date(now.getTime() + minutes * 60_000).toISOString();
  switch (policy.kind) {
    case 'wait':
      return NEVER;
    case 'deny':
      return { timetable: [{ at: after(policy.minutes), outcome: 'deny' }], waits_for: null };
    case 'tiered': {
      const tier = tierOf(policy.tiers, action, risk);
      return tier
        ? { timetable: [{ at: after(tier.minutes), outcome: ending(tier.outcome, risk) }], waits_for: null }
        : NEVER;
    }
    case 'escalation': {
      const moments: Moment[] = [];
      let minutes = 0;
      policy.steps.forEach((step, index) => {
        minutes += step.minutes;
        const next = policy.steps[index + 1];
        moments.push(
          next
            ? { at: after(minutes), outcome: 'escalate', to: next.role }
            : { at: after(minutes), outcome: ending(policy.outcome, risk) },
        );
      });
      return { timetable: moments, waits_for: policy.steps[0]?.role ?? null };
    }
  }
}
