import * as z from 'zod';
import type { GitTreeEdit } from '../../workspace/git/edit-tree.ts';
import { LANGUAGES } from './language.ts';

/** Tests that whoever asked for the work keeps to himself: only the gates box ever has them. */
export type HiddenTestEdits = readonly GitTreeEdit[];
/**
 * What hidden tests said in one run. No name, no message and no line of theirs: the next attempt is told how many fail, and could learn
 * them by heart otherwise.
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
