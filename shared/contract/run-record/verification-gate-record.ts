import * as z from 'zod';

/** Characters of each thing that was missing, and how many are named. */
export const MAX_MISSING_ITEM_LENGTH = 120;
export const MAX_LISTED_MISSING_ITEMS = 5;
export const MAX_GATE_REASON_LENGTH = 300;

/**
 * How an agent was let go. `satisfied`: all that the base asks for was there, in the agent's own box, so it proves nothing. `forced`:
 * it was told as often as it may be, and something is still missing. `could_not_run`: something could not be looked at.
 */
export const VerificationGateRecord = z.strictObject({
  state: z.enum(['satisfied', 'forced', 'could_not_run']),
  reason: z.string().max(MAX_GATE_REASON_LENGTH),
  nudges: z
    .strictObject({
      tests: z.number().int().min(0).max(20),
      compilation: z.number().int().min(0).max(20),
    })
    .describe('Number of reminders to continue: about tests and files, and about compilation.'),
  missing: z.array(z.string().max(MAX_MISSING_ITEM_LENGTH)).max(MAX_LISTED_MISSING_ITEMS),
});
export type VerificationGateRecord = z.infer<typeof VerificationGateRecord>;
