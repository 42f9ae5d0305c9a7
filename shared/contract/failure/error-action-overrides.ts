import * as z from 'zod';
import { FAILURE_CLASSES } from './failure-record.ts';

/** What is done about an error, in the seed's three words: the same again, somebody who can do more (a stronger model, a person), or the end. */
export const ERROR_ACTIONS = ['retry', 'escalate', 'fail'] as const;
export type ErrorAction = (typeof ERROR_ACTIONS)[number];

/** By class of failure, what a task wants done otherwise than the table says. */
export const ErrorActionOverrides = z
  .partialRecord(z.enum(FAILURE_CLASSES), z.enum(ERROR_ACTIONS))
  .describe(
    'By class of failure (docs/cascade.md), what is done in the place of what is usual: retry (the same tier, as one more attempt), escalate (a stronger tier) or fail. A class that is not named is treated as usual.',
  );
export type ErrorActionOverrides = z.infer<typeof ErrorActionOverrides>;
