import * as z from 'zod';
import { VISION_CATEGORIES } from '../../../contract/review/vision-kinds.ts';
import {
  MAX_REVIEW_FINDINGS,
  REVIEW_FINDING_FIELDS,
  SEVERE_FINDING_EVIDENCE_RULE,
} from '../red-team-finding.ts';

/** What speaks against work in pictures of it. */
export const VisionFinding = z
  .strictObject({
    category: z.enum(VISION_CATEGORIES),
    ...REVIEW_FINDING_FIELDS,
    screenshot: z.string().max(40).describe('Name of the screenshot that shows it; empty: none.'),
  })
  .refine(...SEVERE_FINDING_EVIDENCE_RULE);
export type VisionFinding = z.infer<typeof VisionFinding>;

/** What a model may answer that was shown these pictures: nothing of others. */
export const visionReportSchema = (shown: readonly string[]) =>
  z.strictObject({
    findings: z
      .array(
        VisionFinding.refine(({ screenshot }) => screenshot === '' || shown.includes(screenshot), {
          path: ['screenshot'],
          message: `is none of ${shown.join(', ')}`,
        }),
      )
      .max(MAX_REVIEW_FINDINGS),
    summary: z.string().max(4_096),
    confidence: z.number().min(0).max(1),
  });
export type VisionReport = z.infer<ReturnType<typeof visionReportSchema>>;
