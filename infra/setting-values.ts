import * as z from 'zod';

/** Context from the command line is text; cdk.json may hold the object itself. */
export const json = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value, context) => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value);
    } catch {
      context.addIssue({ code: 'custom', message: 'is not valid JSON' });
      return z.NEVER;
    }
  }, schema);

/** Invocations of a function that are reserved. None by default: a new account may have ten in all. */
export const concurrency = z.coerce.number().int().min(0).max(10_000).default(0);
