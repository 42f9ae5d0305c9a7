import * as z from 'zod';
import { INTAKE_STRATEGIES, MAX_NOTES, Requirement, WorkRequest } from '../contract/intake/schema.ts';
import { RequestStatus } from '../contract/intake/status.ts';
import { SubmitTask } from '../contract/submission/schema.ts';
import { ListQuery } from './schemas.ts';

export const RequestBody = Requirement.extend({
  strategy: z
    .enum(INTAKE_STRATEGIES)
    .default('review')
    .describe('review: a person says yes before a task is made. direct: it is made at once.'),
})
  .strict()
  .meta({ id: 'RequestBody' });

export const RequestView = WorkRequest.omit({ request_sha256: true, expires_at: true })
  .extend({
    unclear: z
      .array(z.string())
      .describe('Why it is not approved before somebody has said what is meant (clarify).'),
  })
  .meta({
    id: 'Request',
  });
export type RequestView = z.infer<typeof RequestView>;

export const RequestsQuery = ListQuery.pick({ limit: true, cursor: true }).extend({
  status: RequestStatus.default('submitted'),
});
export const RequestList = z
  .object({ requests: z.array(RequestView), next_cursor: z.string().nullable() })
  .meta({ id: 'RequestList' });

export const ClarifyBody = z
  .strictObject({
    notes: z.string().trim().min(1, 'must not be empty').max(MAX_NOTES),
    title: SubmitTask.shape.title.optional(),
    description: z.string().max(100_000).optional(),
  })
  .meta({ id: 'ClarifyBody' });
export const EmptyBody = z.strictObject({}).meta({ id: 'EmptyBody' });
