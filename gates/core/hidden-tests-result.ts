import * as z from 'zod';
import { LANGUAGES } from './language.ts';

/** A file that hidden tests lay over the patched tree. */
export interface HiddenTestFile {
  readonly path: string;
  readonly mode: '100644' | '100755';
  readonly content: Buffer;
}

/**
 * Tests that the writer of the patch must not know. They are kept in memory, and written to disk only for the one run of them: what lies
 * in a folder while code of the patch runs, that code may find.
 */
export type HiddenTestFiles = readonly HiddenTestFile[];

/**
 * Result of one run of hidden tests. It holds no name, message or line of a test: the next attempt sees it, and could hard-code the
 * answers.
 */
export const HiddenTestsResult = z.strictObject({
  outcome: z.enum(['passed', 'failed', 'could_not_run']),
  /** Null: the run names no tests. */
  ran: z.int().nonnegative().nullable(),
  failed: z.int().nonnegative().nullable(),
  detail: z.string(),
  /** Whose tests its tool runs; null: any, because a command of the project's own ran. */
  language: z.enum(LANGUAGES).nullable(),
});
export type HiddenTestsResult = z.infer<typeof HiddenTestsResult>;
