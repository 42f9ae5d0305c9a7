import * as z from 'zod';

/** The seed's object, always present. `unverified_ratio` is null when nothing has completed: no data is not 0 %. */
export const VerificationNudge = z
  .object({
    total_completions: z.number().int(),
    verified_count: z.number().int(),
    unverified_count: z.number().int(),
    unverified_ratio: z.number().nullable(),
    threshold_exceeded: z.boolean(),
    nudge_threshold: z.number(),
    min_completions: z.number().int(),
    recent_unverified: z.array(z.string()),
    window: z
      .object({
        completions: z.number().int(),
        days: z.number(),
        oldest: z.iso
          .datetime()
          .nullable()
          .describe('Time of the oldest completion that counts; null: there is none.'),
        reset: z
          .object({ at: z.iso.datetime(), by: z.string(), reason: z.string() })
          .nullable()
          .describe('Completions before this time do not count, because an operator reset the window.'),
      })
      .optional()
      .describe(
        'Everything else is about at most this many latest completions, none older than this many days.',
      ),
    all_time: z
      .object({ verified: z.number().int(), unverified: z.number().int() })
      .optional()
      .describe('All completions since the deployment began.'),
  })
  .meta({ id: 'VerificationNudge' });
export type VerificationNudge = z.infer<typeof VerificationNudge>;
