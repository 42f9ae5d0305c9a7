import * as z from 'zod';
import { MODEL_API_PROTOCOLS } from './protocols.ts';
import { TokenUsage } from './usage.ts';

/** One call of a model as the gateway has witnessed it; never what was asked or said. */
export const MeteredModelCall = z.object({
  id: z.string(),
  attempt: z.number().int().positive(),
  /** Who has asked: the agent of the attempt, or one of its gates. */
  caller: z.enum(['agent', 'gates', 'challenger']),
  protocol: z.enum(MODEL_API_PROTOCOLS),
  model: z.string(),
  /** What it was billed as. */
  billed_model: z.string(),
  /** Of the answer; 0: there was none. */
  status: z.number().int().nonnegative(),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime(),
  usage: TokenUsage,
  /** Millionths of a dollar. Null: the model has no price. */
  cost_micro_usd: z.number().nullable(),
  /** What the provider could not do; null: it did, or nobody knows. */
  provider_error: z.string().nullable(),
});
export type MeteredModelCall = z.infer<typeof MeteredModelCall>;
