import * as z from 'zod';

export const LOGGED_TEST_TOOLS = [
  'pytest',
  'unittest',
  'vitest',
  'jest',
  'node --test',
  'mocha',
  'go test',
  'cargo test',
  'junit',
] as const;

/** Most failed tests that are named. */
export const MAX_LOGGED_FAILURES = 20;
/** Characters of a name. */
export const MAX_LOGGED_NAME_LENGTH = 200;

const Count = z.int().nonnegative().max(1_000_000_000).nullable();
/**
 * What a runner has printed into an agent's log, where it says how its tests ended. It is a claim: whoever writes the log can write this,
 * and nothing is decided by it. A number that the runner does not print is null.
 */
export const LoggedTestRun = z.strictObject({
  tool: z.enum(LOGGED_TEST_TOOLS),
  kind: z.literal('claimed'),
  passed: Count,
  failed: Count,
  skipped: Count,
  failed_tests: z.array(z.string().min(1).max(MAX_LOGGED_NAME_LENGTH)).max(MAX_LOGGED_FAILURES),
});
export type LoggedTestRun = z.infer<typeof LoggedTestRun>;
