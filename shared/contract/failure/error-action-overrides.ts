import * as z from 'zod';
import { FAILURE_CLASSES } from './failure-record.ts';

/** What is done about an error, in the seed's three words: the same again, somebody who can do more (a stronger model, a person), or the end. */
export const FAILURE_ACTIONS = ['retry', 'escalate', 'fail'] as const;
export type FailureAction = (typeof FAILURE_ACTIONS)[number];

/** By class of failure, what a task wants done otherwise than the table says. */
export const FailureActionOverrides = z
  .partialRecord(z.enum(FAILURE_CLASSES), z.enum(FAILURE_ACTIONS))
  .describe(
    'Action by failure class (docs/reference/cascade.md), instead of the default: retry (another attempt with the same tier), escalate (a stronger tier) or fail. Classes that are not named keep the default.',
  );
export type FailureActionOverrides = z.infer<typeof FailureActionOverrides>;
