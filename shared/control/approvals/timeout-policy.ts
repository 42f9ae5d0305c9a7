import * as z from 'zod';
import { isHumanApprovalRequired, RISK_LEVELS, type RiskLevel } from '../../contract/approval/risk.ts';
import type { ApprovalDeadline } from '../../contract/approval/schema.ts';

/** Longest that anything waits, in minutes: a year. */
const Minutes = z.number().positive().max(527_040);

const RiskTimeout = z.strictObject({
  minutes: Minutes,
  /** Actions that belong to it whatever their risk is. */
  actions: z.array(z.string().min(1)).max(100).optional(),
  outcome: z.enum(['deny', 'approve']).default('deny'),
});
type RiskTimeout = z.infer<typeof RiskTimeout>;

/** What becomes of an approval that nobody decides. */
export const ApprovalTimeoutPolicy = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('wait') }),
  z.strictObject({ kind: z.literal('deny'), minutes: Minutes }),
  z.strictObject({ kind: z.literal('tiered'), tiers: z.partialRecord(z.enum(RISK_LEVELS), RiskTimeout) }),
  z.strictObject({
    kind: z.literal('escalation'),
    steps: z
      .array(z.strictObject({ role: z.string().trim().min(1).max(64), minutes: Minutes }))
      .min(1)
      .max(10),
    outcome: z.enum(['deny', 'approve']).default('deny'),
  }),
]);
export type ApprovalTimeoutPolicy = z.infer<typeof ApprovalTimeoutPolicy>;

export const DEFAULT_APPROVAL_TIMEOUT_POLICY: ApprovalTimeoutPolicy = { kind: 'deny', minutes: 240 };

export interface ApprovalSchedule {
  readonly deadlines: ApprovalDeadline[];
  /** Whose turn it is first; null: anybody's who may review. */
  readonly approver_role: string | null;
}

const NO_DEADLINE: ApprovalSchedule = { deadlines: [], approver_role: null };

/** Time alone never lets through what only a person may allow. */
const outcomeAtDeadline = (outcome: 'deny' | 'approve', risk: RiskLevel): 'deny' | 'approve' =>
  isHumanApprovalRequired(risk) ? 'deny' : outcome;

/** The tier of an action: one that names it, else that of its risk. */
function findRiskTimeout(
  tiers: Readonly<Partial<Record<RiskLevel, RiskTimeout>>>,
  action: string,
  risk: RiskLevel,
): RiskTimeout | undefined {
  return (
    RISK_LEVELS.map((each) => tiers[each]).find((tier) => tier?.actions?.includes(action)) ?? tiers[risk]
  );
}

/** What a policy means for one approval that is asked for now. */
export function scheduleApproval(
  policy: ApprovalTimeoutPolicy,
  { action, risk }: { readonly action: string; readonly risk: RiskLevel },
  now: Date,
): ApprovalSchedule {
  const after = (minutes: number): string => new Date(now.getTime() + minutes * 60_000).toISOString();
  switch (policy.kind) {
    case 'wait':
      return NO_DEADLINE;
    case 'deny':
      return { deadlines: [{ at: after(policy.minutes), outcome: 'deny' }], approver_role: null };
    case 'tiered': {
      const tier = findRiskTimeout(policy.tiers, action, risk);
      return tier
        ? {
            deadlines: [{ at: after(tier.minutes), outcome: outcomeAtDeadline(tier.outcome, risk) }],
            approver_role: null,
          }
        : NO_DEADLINE;
    }
    case 'escalation': {
      const moments: ApprovalDeadline[] = [];
      let minutes = 0;
      policy.steps.forEach((step, index) => {
        minutes += step.minutes;
        const next = policy.steps[index + 1];
        moments.push(
          next
            ? { at: after(minutes), outcome: 'escalate', escalate_to: next.role }
            : { at: after(minutes), outcome: outcomeAtDeadline(policy.outcome, risk) },
        );
      });
      return { deadlines: moments, approver_role: policy.steps[0]?.role ?? null };
    }
  }
}
