import * as z from 'zod';
import { TaskId, TaskSubmission } from '../submission/schema.ts';
import { WorkRequestStatus } from './status.ts';

/** Who says yes: `direct` nobody has to, `review` a person. */
export const INTAKE_APPROVAL_MODES = ['review', 'direct'] as const;

/** What a request asks for: a task, as it would be submitted. */
export const WorkRequestTaskSubmission = TaskSubmission.omit({ id: true, hidden_tests: true, exam: true });
export type WorkRequestTaskSubmission = z.infer<typeof WorkRequestTaskSubmission>;

/** A piece of work that somebody asks for: one item of the table, written as a whole under a condition on `version` and `status`. */
export const WorkRequest = z.object({
  /** Also the id of its task. */
  id: TaskId,
  status: WorkRequestStatus,
  version: z.number().int().positive(),
  strategy: z.enum(INTAKE_APPROVAL_MODES),
  requested_by: z.string(),
  request_sha256: z.string(),
  requested_task: WorkRequestTaskSubmission.strip(),
  /** What a person has said of it: handed to the agent beside the description. */
  clarification: z.string().nullable(),
  /** Each status with when it came, the first included. */
  history: z.array(z.object({ status: WorkRequestStatus, at: z.iso.datetime(), by: z.string() })).max(10),
  reason: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  /** Set once its task is there. */
  task_id: TaskId.nullable(),
  expires_at: z.number().int().nullable(),
});
export type WorkRequest = z.infer<typeof WorkRequest>;

export const MAX_CLARIFICATION_LENGTH = 10_000;
