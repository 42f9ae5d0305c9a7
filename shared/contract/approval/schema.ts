import * as z from 'zod';
import { defineLifecycle } from '../../lib/lifecycle.ts';
import { GitObjectId } from '../repository/git-ref.ts';
import { ActionName, RiskLevel } from './risk.ts';

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired'] as const;
export const ApprovalStatus = z.enum(APPROVAL_STATUSES);
export type ApprovalStatus = z.infer<typeof ApprovalStatus>;
export const APPROVAL_LIFECYCLE = defineLifecycle(
  'approval request',
  {
    statuses: APPROVAL_STATUSES,
    initial: ['pending', 'approved'],
    terminal: ['approved', 'rejected', 'expired'],
  },
  {
    approve: {
      from: ['pending'],
      to: 'approved',
      reason: 'an approver, or its timeout policy, allows the action',
    },
    reject: {
      from: ['pending'],
      to: 'rejected',
      reason: 'an approver denies the action, or the task ends first',
    },
    expire: { from: ['pending'], to: 'expired', reason: 'no approver decides in time' },
    escalate: {
      from: ['pending'],
      to: null,
      reason: 'its first approvers do not decide in time; the next role may',
    },
  },
);
export type ApprovalEvent = (typeof APPROVAL_LIFECYCLE.events)[number];

/** Most approvals that one task may ask for: each is on the task's item. */
export const MAX_APPROVALS_PER_TASK = 5;
/** Characters of a reason that are kept. */
export const MAX_DECISION_REASON_LENGTH = 500;

/** What happens at a time unless somebody has decided by then. */
export const ApprovalDeadline = z.object({
  at: z.iso.datetime(),
  outcome: z.enum(['deny', 'approve', 'escalate']),
  /** With `escalate`: whose turn it is from then on. */
  escalate_to: z.string().optional(),
});
export type ApprovalDeadline = z.infer<typeof ApprovalDeadline>;

/** What an agent says when it asks. */
export const ApprovalRequest = z.strictObject({
  action: ActionName.describe('The action, e.g. deploy:production or db:mutate.'),
  title: z.string().trim().min(1, 'must not be empty').max(200),
  description: z.string().max(1_000).default(''),
});
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

/** Where the work stood when a box ended to wait for a person. */
export const WorkAwaitingApproval = z.object({
  tree: GitObjectId,
  patch_key: z.string(),
  patch_sha256: z.string(),
  patch_bytes: z.number().int().nonnegative(),
});
export type WorkAwaitingApproval = z.infer<typeof WorkAwaitingApproval>;

/** What an agent CLI had written down of its session by then, so that another box can go on with it. */
export const SessionAwaitingApproval = z.object({
  /** As the CLI calls it. */
  id: z.string(),
  sha256: z.string(),
});
export type SessionAwaitingApproval = z.infer<typeof SessionAwaitingApproval>;

/** Leave that an agent asked for in the middle of its run. */
export const Approval = z.object({
  number: z.number().int().positive().describe('Number of the approval within its task.'),
  attempt: z.number().int().positive(),
  /** Of the box that asked. */
  launch: z.number().int().positive(),
  action: z.string(),
  title: z.string(),
  description: z.string(),
  risk: RiskLevel,
  requested_by: z.string().describe('Who does the work; they may not decide.'),
  status: ApprovalStatus,
  created_at: z.iso.datetime(),
  /** What happens by itself, in this order; empty: it waits without an end. Written with the question, so that a changed setting does not change it. */
  deadlines: z.array(ApprovalDeadline),
  /** Whose turn it is to decide, where the deployment's policy names roles of people. */
  approver_role: z.string().nullable(),
  decided_at: z.iso.datetime().nullable(),
  decided_by: z.string().nullable(),
  decision_reason: z.string().nullable(),
  /** Null: whoever asked has kept its work, or there was none. */
  parked_work: WorkAwaitingApproval.nullable(),
  /** Of the latest one alone. Absent: its CLI keeps none that another box could go on with. */
  parked_session: SessionAwaitingApproval.optional(),
});
export type Approval = z.infer<typeof Approval>;

/** The approval that a task waits for; null: none. */
export const findPendingApproval = ({
  approvals = [],
}: {
  readonly approvals?: readonly Approval[] | undefined;
}) => approvals.findLast(({ status }) => status === 'pending') ?? null;
