import * as z from 'zod';

/** The seed's ten classes. */
export const FAILURE_CLASSES = [
  'timeout',
  'invalid_tool_args',
  'missing_target_path',
  'policy_blocked',
  'permission_required',
  'provider_spend_limit',
  'provider_auth',
  'rate_limited',
  'provider_transient',
  'unknown',
] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** How a failure counts for those who depend on the work; the seed's words. */
export const FAILURE_MODES = ['timeout', 'rate-limit', 'error', 'quality', 'hollow', 'cascade'] as const;
export type FailureMode = (typeof FAILURE_MODES)[number];

/** What the failure of an attempt was taken for when it ended, and by which rule: later rules do not change what is written down. */
export const FailureRecord = z.object({
  class: z
    .enum(FAILURE_CLASSES)
    .nullable()
    .describe('One of ten classes; null: the work was delivered and its verdict was fail.'),
  code: z.string().describe('More specific code, where there is one.'),
  matched_rule: z
    .string()
    .describe('What the classification rests on: a status, a code, a signal, an exit code, or text.'),
  retryable: z
    .boolean()
    .nullable()
    .describe(
      'Whether a retry can help. Null: the work was judged, and has not failed twice in the same way.',
    ),
  mode: z.enum(FAILURE_MODES).describe('Effect on tasks that depend on this one.'),
  signature: z
    .string()
    .optional()
    .describe('The same for attempts that failed in the same way, regardless of paths, numbers and times.'),
  normalized_message: z.string().optional().describe('The normalized message that the signature is made of.'),
  rules_version: z.int().positive().describe('Version of the rules.'),
});
export type FailureRecord = z.infer<typeof FailureRecord>;
