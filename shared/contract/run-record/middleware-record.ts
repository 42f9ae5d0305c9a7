import * as z from 'zod';
import { AGENT_HOOKS, MIDDLEWARE_NAMES } from '../agents/middleware-names.ts';
import {
  MAX_MIDDLEWARE_FACTS,
  MAX_MIDDLEWARE_FINDING_LENGTH,
  MAX_MIDDLEWARE_FINDINGS,
} from './record-limits.ts';

/** `claimed`: the words of an agent. `observed`: what the box saw around the run; the agent could write to all of it, so it proves nothing. */
export const MiddlewareFinding = z.strictObject({
  middleware: z.enum(MIDDLEWARE_NAMES),
  kind: z.enum(['claimed', 'observed']),
  code: z.string().regex(/^[a-z][a-z_]{0,39}$/),
  detail: z.string().max(MAX_MIDDLEWARE_FINDING_LENGTH),
  turn: z.int().min(1).max(1_000_000).optional(),
});
export type MiddlewareFinding = z.infer<typeof MiddlewareFinding>;

/** What was wrapped around a run and what that has found. Nothing is decided by it, and nothing becomes verified. */
export const MiddlewareRecord = z.strictObject({
  chain: z.array(z.enum(MIDDLEWARE_NAMES)).max(MIDDLEWARE_NAMES.length),
  hook_counts: z
    .partialRecord(z.enum(AGENT_HOOKS), z.int().nonnegative())
    .describe('How often each hook ran; a missing hook never did.'),
  findings: z.array(MiddlewareFinding).max(MAX_MIDDLEWARE_FINDINGS),
  findings_omitted: z.int().positive().optional().describe('How many more there were.'),
  facts: z
    .record(
      z.string().max(60),
      z.union([z.string().max(MAX_MIDDLEWARE_FINDING_LENGTH), z.number(), z.boolean()]),
    )
    .refine((facts) => Object.keys(facts).length <= MAX_MIDDLEWARE_FACTS, {
      error: `at most ${MAX_MIDDLEWARE_FACTS} facts`,
    }),
});
export type MiddlewareRecord = z.infer<typeof MiddlewareRecord>;
