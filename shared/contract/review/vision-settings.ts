import * as z from 'zod';
import { ScreenshotName } from '../screenshot.ts';
import { REVIEW_SEVERITIES } from './review-stage-names.ts';
import { VISION_VERIFIERS } from './vision-kinds.ts';

const Share = z.number().min(0).max(1);
const Channel = z.number().int().min(0).max(255);
const Common = {
  description: z.string().trim().min(1).max(300),
  severity: z.enum(REVIEW_SEVERITIES).default('high'),
  screenshot: ScreenshotName.optional().describe('Name of a screenshot; absent: the last one.'),
};

/** What a picture is to show, so that no model is needed to see whether it does. */
export const VisualExpectation = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('dominant_colour'),
    ...Common,
    expected_rgb: z.tuple([Channel, Channel, Channel]),
    tolerance: Share.optional().describe('Absent: `colour_tolerance`.'),
  }),
  z.strictObject({ kind: z.literal('not_blank'), ...Common }),
]);
export type VisualExpectation = z.infer<typeof VisualExpectation>;

/** Somebody who looks at pictures of the application, when nothing else is against the work. */
export const VisionSettings = z
  .strictObject({
    enabled: z.boolean().default(false),
    verifier: z.enum(VISION_VERIFIERS).default('noop'),
    expectations: z.array(VisualExpectation).max(20).default([]),
    colour_tolerance: Share.default(0.15),
    on_missing_deliverable: z.enum(['skip', 'hold', 'block']).default('skip'),
    timeout_s: z.number().int().min(1).max(90).default(60),
  })
  .refine(({ verifier, expectations }) => verifier === 'heuristic' || expectations.length === 0, {
    path: ['expectations'],
    message: 'are looked at by `verifier: heuristic` only',
  })
  .refine(
    ({ enabled, verifier, expectations }) => !enabled || verifier !== 'heuristic' || expectations.length > 0,
    {
      path: ['expectations'],
      message: 'are what `verifier: heuristic` looks for, and there are none',
    },
  );
export type VisionSettings = z.infer<typeof VisionSettings>;
