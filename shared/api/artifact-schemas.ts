import * as z from 'zod';
import { ScreenshotName } from '../contract/screenshot.ts';
import { TaskId } from '../contract/submission/schema.ts';

/** What of an attempt can be read again: what the agent handed in, what it said meanwhile, and all that we found. */
export const ARTIFACT_KINDS = ['patch', 'transcript', 'evidence', 'screenshot'] as const;

export const ArtifactQuery = z.strictObject({
  kind: z.enum(ARTIFACT_KINDS),
  name: ScreenshotName.optional().describe('Name of the screenshot; for no other kind.'),
  attempt: z.coerce.number().int().min(1).max(10_000).optional().describe('Default: the latest.'),
  offset: z.coerce
    .number()
    .int()
    .min(0)
    .max(1e9)
    .default(0)
    .describe('In bytes: the `next_offset` of the part before.'),
});

/** A part of it, as text, in which what is not UTF-8 is replaced; a picture as a whole. */
export const ArtifactPartResponse = z
  .object({
    task_id: TaskId,
    attempt: z.number().int(),
    kind: z.enum(ARTIFACT_KINDS),
    bytes: z.number().int().describe('Size of the whole artifact.'),
    offset: z.number().int(),
    next_offset: z.number().int().nullable().describe('Null: this is the last part.'),
    encoding: z
      .enum(['utf-8', 'base64'])
      .describe('Encoding of `text`: a screenshot is a PNG in base64, in one part; everything else is text.'),
    text: z.string(),
  })
  .meta({ id: 'ArtifactPart' });
