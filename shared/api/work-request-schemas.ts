import * as z from 'zod';
import {
  INTAKE_APPROVAL_MODES,
  MAX_CLARIFICATION_LENGTH,
  WorkRequest,
  WorkRequestTaskSubmission,
} from '../contract/intake/schema.ts';
import { WorkRequestStatus } from '../contract/intake/status.ts';
import { TaskSubmission } from '../contract/submission/schema.ts';
import { ListTasksQuery } from './task-schemas.ts';

export const WorkRequestBody = WorkRequestTaskSubmission.extend({
  strategy: z
    .enum(INTAKE_APPROVAL_MODES)
    .default('review')
    .describe('review: a reviewer approves before a task is created. direct: it is created at once.'),
})
  .strict()
  .meta({ id: 'WorkRequestBody' });

export const WorkRequestView = WorkRequest.omit({ request_sha256: true, expires_at: true })
  .extend({
    unclear_reasons: z
      .array(z.string())
      .describe('Question that must be answered before it can be approved (clarify).'),
  })
  .meta({
    id: 'Request',
  });
export type WorkRequestView = z.infer<typeof WorkRequestView>;

export const WorkRequestsQuery = ListTasksQuery.pick({ limit: true, cursor: true }).extend({
  status: WorkRequestStatus.default('submitted'),
});
export const WorkRequestList = z
  .object({ requests: z.array(WorkRequestView), next_cursor: z.string().nullable() })
  .meta({ id: 'WorkRequestList' });

export const ClarifyWorkRequestBody = z
  .strictObject({
    clarification: z.string().trim().min(1, 'must not be empty').max(MAX_CLARIFICATION_LENGTH),
    title: TaskSubmission.shape.title.optional(),
    description: z.string().max(100_000).optional(),
  })
  .meta({ id: 'ClarifyRequestBody' });
export const EmptyBody = z.strictObject({}).meta({ id: 'EmptyBody' });
