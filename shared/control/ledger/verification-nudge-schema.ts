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
          .describe('Of the completions that are counted here; null: none is.'),
        reset: z
          .object({ at: z.iso.datetime(), by: z.string(), reason: z.string() })
          .nullable()
          .describe('Completions up to then are not looked at, because a person has said so.'),
      })
      .optional()
      .describe('All else is of the latest so many completions, of none that is older than so many days.'),
    all_time: z
      .object({ verified: z.number().int(), unverified: z.number().int() })
      .optional()
      .describe('All completions that there ever were.'),
  })
  .meta({ id: 'VerificationNudge' });
export type VerificationNudge = z.infer<typeof VerificationNudge>;
