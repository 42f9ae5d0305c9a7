import * as z from 'zod';

/** Characters of each thing that was missing, and how many are named. */
export const MISSING_CHARACTERS = 120;
export const MISSING_NAMED = 5;
export const BECAUSE_CHARACTERS = 300;

/**
 * How an agent was let go. `satisfied`: all that the base asks for was there, in the agent's own box, so it proves nothing. `forced`:
 * it was told as often as it may be, and something is still missing. `inert`: something could not be looked at.
 */
export const VerificationGate = z.strictObject({
  state: z.enum(['satisfied', 'forced', 'inert']),
  because: z.string().max(BECAUSE_CHARACTERS),
  nudges: z
    .strictObject({
      tests: z.number().int().min(0).max(20),
      compilation: z.number().int().min(0).max(20),
    })
    .describe('How often the agent was told to go on: of tests and files, and of compilation.'),
  missing: z.array(z.string().max(MISSING_CHARACTERS)).max(MISSING_NAMED),
});
export type VerificationGate = z.infer<typeof VerificationGate>;
