import * as z from 'zod';

export const DELIVERY_OUTCOMES = ['merged', 'closed', 'reopened', 'reverted'] as const;

/** What became of delivered work where it was delivered to, as the forge says, or the history there. */
export const DeliveryOutcome = z.object({
  outcome: z.enum(DELIVERY_OUTCOMES),
  /** By the forge's clock, or the commit's. */
  at: z.iso.datetime({ offset: true }),
  /** A login; `git`: found in the history. */
  by: z.string().max(200),
  /** Number of the request; of a revert that of the request that undid it. Null: found in the history, which knows none. */
  request: z.number().int().positive().nullable(),
  commit: z.string().max(64).nullable(),
  /** What a request was squashed to before it was merged by another commit. */
  squash_commit: z.string().max(64).optional(),
});
export type DeliveryOutcome = z.infer<typeof DeliveryOutcome>;

/** Most that are kept with a task: opening and closing again is no news. */
export const MAX_DELIVERY_OUTCOMES = 20;

/** The same for what is told again. Work is reverted once, whoever says so: forge and history tell of one revert by different numbers. */
export const deliveryOutcomeKey = ({ outcome: what, request, at }: DeliveryOutcome): string => {
  if (what === 'reverted') return what;
  return what === 'merged' ? `${what}#${request}` : `${what}#${request}#${at}`;
};
