import * as z from 'zod';
import {
  Approval,
  ApprovalRequest,
  SessionAwaitingApproval,
  WorkAwaitingApproval,
} from '../contract/approval/schema.ts';
import { GitObjectId } from '../contract/repository/git-ref.ts';
import { TaskId } from '../contract/submission/schema.ts';
import { TaskStatus } from '../contract/task/status.ts';
import { AGENT_CLI_SESSION_ID_PATTERN } from '../control/approvals/cli-session.ts';
import { OptionalReasonBody, RejectTaskBody, ReviewsQuery, TaskSummary } from './task-schemas.ts';

/** An agent asks for leave. The work so far is handed in as a patch that was uploaded before; without it, it stays with whoever asks. */
export const ApprovalRequestBody = ApprovalRequest.extend({
  parked_work: z
    .strictObject({
      tree: GitObjectId,
      patch_sha256: WorkAwaitingApproval.shape.patch_sha256.regex(
        /^[0-9a-f]{64}$/,
        'must be a SHA-256 in hex',
      ),
      patch_bytes: WorkAwaitingApproval.shape.patch_bytes,
    })
    .optional(),
  parked_session: z
    .strictObject({
      id: z.string().regex(AGENT_CLI_SESSION_ID_PATTERN, 'must be 1 to 64 letters, digits, "-" or "_"'),
      sha256: SessionAwaitingApproval.shape.sha256.regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex'),
    })
    .optional()
    .describe(
      "Digest of the CLI's session record, which was uploaded before; the next container resumes from it.",
    ),
})
  .strict()
  .meta({ id: 'ApprovalRequestBody' });

export const ApprovalView = Approval.omit({ parked_work: true, parked_session: true, launch: true }).meta({
  id: 'Approval',
});
export type ApprovalView = z.infer<typeof ApprovalView>;

/** What became of the question, and of the task. */
export const ApprovalRequestResponse = z
  .object({ approval: ApprovalView, status: TaskStatus })
  .meta({ id: 'ApprovalRequestResponse' });

export const ApprovalsQuery = ReviewsQuery;
export const PendingApprovalItem = z
  .object({
    id: TaskId.describe('Id of the approval; `POST /approvals/{id}/approve` takes it.'),
    task_title: z.string(),
    role: TaskSummary.shape.role,
    priority: TaskSummary.shape.priority,
    repository: z.string(),
    approval: ApprovalView,
    since: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable().describe('When it expires without a decision; null: never.'),
    urgency: z
      .enum(['critical', 'high', 'normal', 'no_expiry'])
      .describe('critical: expires after one hour; high: after four.'),
  })
  .meta({ id: 'ApprovalItem' });
export type PendingApprovalItem = z.infer<typeof PendingApprovalItem>;
export const ApprovalList = z
  .object({ approvals: z.array(PendingApprovalItem), next_cursor: z.string().nullable() })
  .meta({ id: 'ApprovalList' });

export const ApprovalDecisionBody = OptionalReasonBody.extend({
  number: z
    .number()
    .int()
    .positive()
    .optional()
    .describe('The approval that the decision is about; a decision on one that no longer waits is refused.'),
})
  .strict()
  .meta({ id: 'ApprovalDecisionBody' });
export const ApprovalDenialBody = ApprovalDecisionBody.extend(RejectTaskBody.shape)
  .strict()
  .meta({ id: 'ApprovalDenialBody' });
