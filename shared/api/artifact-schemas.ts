import * as z from 'zod';
import { TaskId } from '../task/schema.ts';

/** What of an attempt can be read again: what the agent handed in, what it said meanwhile, and all that we found. */
export const ARTIFACT_KINDS = ['patch', 'transcript', 'evidence'] as const;

export const ArtifactQuery = z.strictObject({
  kind: z.enum(ARTIFACT_KINDS),
  attempt: z.coerce.number().int().min(1).max(10_000).optional().describe('Default: the latest.'),
  offset: z.coerce
    .number()
    .int()
    .min(0)
    .max(1e9)
    .default(0)
    .describe('In bytes: the `next_offset` of the part before.'),
});

/** A part of it, as text; what is not UTF-8 is replaced. */
export const ArtifactPart = z
  .object({
    task_id: TaskId,
    attempt: z.number().int(),
    kind: z.enum(ARTIFACT_KINDS),
    bytes: z.number().int().describe('Of the whole.'),
    offset: z.number().int(),
    next_offset: z.number().int().nullable().describe('Null: this is the end.'),
    text: z.string(),
  })
  .meta({ id: 'ArtifactPart' });
