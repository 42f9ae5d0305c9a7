import * as z from 'zod';
import { COORDINATION_MIDDLEWARE_NAMES } from './coordination-names.ts';

/** Fewest characters of a criterion that can be looked at. */
export const MIN_ACCEPTANCE_CRITERION_LENGTH = 10;

/** What acts between a goal and its tasks. */
export const CoordinationSettings = z.strictObject({
  chain: z
    .array(z.enum(COORDINATION_MIDDLEWARE_NAMES))
    .max(COORDINATION_MIDDLEWARE_NAMES.length)
    .superRefine((chain, context) => {
      chain.forEach((name, index) => {
        if (chain.indexOf(name) !== index)
          context.addIssue({ code: 'custom', path: [index], message: `has ${name} twice` });
      });
      const replan = chain.indexOf('coordination_replan');
      if (replan >= 0 && chain.indexOf('progress_ledger') > replan)
        context.addIssue({ code: 'custom', path: [replan], message: 'must come after progress_ledger' });
    })
    .default([...COORDINATION_MIDDLEWARE_NAMES]),
  clarification_gate: z
    .strictObject({
      enabled: z.boolean().default(true),
      min_criterion_length: z.int().min(1).max(200).default(MIN_ACCEPTANCE_CRITERION_LENGTH),
      match_mode: z.enum(['whole', 'search']).default('whole'),
    })
    .prefault({}),
  replan_strategy: z
    .enum(['noop', 'magentic'])
    .default('noop')
    .describe('magentic: when a task of the plan fails for good, a new plan is made, at most twice.'),
});
export type CoordinationSettings = z.infer<typeof CoordinationSettings>;
