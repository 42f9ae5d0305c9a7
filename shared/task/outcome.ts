import * as z from 'zod';

export const WORK_OUTCOMES = ['merged', 'closed', 'reopened', 'reverted'] as const;

/** What became of delivered work where it was delivered to, as the forge says. */
export const WorkOutcome = z.object({
  what: z.enum(WORK_OUTCOMES),
  /** By the forge's clock. */
  at: z.iso.datetime({ offset: true }),
  by: z.string().max(200),
  /** Number of the request; of a revert that of the request that undid it. */
  request: z.number().int().positive(),
  commit: z.string().max(64).nullable(),
});
export type WorkOutcome = z.infer<typeof WorkOutcome>;

/** Most that are kept with a task: opening and closing again is no news. */
export const MAX_OUTCOMES = 20;

/** The same for what is told again. */
export const outcomeKey = ({ what, request, at }: WorkOutcome): string =>
  what === 'merged' || what === 'reverted' ? `${what}#${request}` : `${what}#${request}#${at}`;
