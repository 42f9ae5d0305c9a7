import * as z from 'zod';
import { DEFAULT_MIDDLEWARE_CHAIN } from '../../contract/agents/middleware-names.ts';
import { CoordinationSettings } from '../../contract/coordination/settings.ts';
import { MiddlewareChain } from '../../contract/submission/chain-schema.ts';
import { invalidRegexReason } from '../../contract/submission/regex.ts';
import { MERIT_JUSTIFICATION_PROMPT_HEADER } from './authority-cues.ts';
import { DRIFT_THRESHOLD } from './semantic-drift.ts';

const RegexPattern = z
  .string()
  .min(1, 'must not be empty')
  .max(300)
  .superRefine((pattern, context) => {
    const message = invalidRegexReason(pattern);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

const ForbiddenCall = z.strictObject({
  /** Name of the tool as its CLI has it, `*` for all. */
  tool: z.string().trim().min(1).max(100).default('*'),
  /** RE2, anywhere in what the tool is given. */
  matches: RegexPattern,
  reason: z.string().trim().min(1).max(200),
});

/** What is wrapped around the runs of agents: `middleware.agent` of the base's `assay.yaml`. */
const AgentSection = z.strictObject({
  /** In the place of the usual chain; empty: none. */
  chain: MiddlewareChain.default([...DEFAULT_MIDDLEWARE_CHAIN]),
  /** Whether tool calls are held until they are allowed, where the CLI can be held (docs/reference/adapters.md); absent: where a policy is enforced. */
  pre_tool_hook: z.boolean().optional(),
  checkpoint: z
    .strictObject({
      every_turns: z.int().min(1).max(1_000).default(1),
      /** How often a run that broke off goes on in its box. */
      max_resumes: z.int().min(0).max(5).default(2),
    })
    .prefault({}),
  authority_deference: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** RE2, whatever the case; absent: the usual five. */
      patterns: z.array(RegexPattern).max(20).optional(),
      justification_header: z
        .string()
        .trim()
        .min(1, 'must not be empty')
        .max(1_000)
        .default(MERIT_JUSTIFICATION_PROMPT_HEADER),
    })
    .prefault({}),
  policy: z
    .strictObject({
      evaluation_mode: z.enum(['log_only', 'enforce']).default('log_only'),
      /** What becomes of a call where the policy cannot be asked: true, it is forbidden. */
      fail_closed: z.boolean().default(false),
      forbidden_calls: z.array(ForbiddenCall).max(50).default([]),
    })
    .prefault({}),
  semantic_drift: z
    .strictObject({ threshold: z.number().min(0).max(1).default(DRIFT_THRESHOLD) })
    .prefault({}),
});
export type AgentMiddlewareSettings = z.output<typeof AgentSection>;

export const MiddlewareSection = z.strictObject({
  agent: AgentSection.prefault({}),
  /** What acts between a goal and its tasks, where a plan does not say so itself. */
  coordination: CoordinationSettings.optional(),
});

export const SecuritySection = z.strictObject({
  /** Adds `semantic_drift_detector` to the chain. */
  semantic_drift_enabled: z.boolean().default(false),
});

/** An `assay.yaml`, as far as the agent box reads it for this. */
export const MiddlewareConfigFile = z.looseObject({
  middleware: MiddlewareSection.optional(),
  security: SecuritySection.optional(),
});
