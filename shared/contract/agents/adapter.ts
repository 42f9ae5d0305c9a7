import * as z from 'zod';
import { AGENT_CLI_PROGRAMS } from '../resource-names.ts';

const timeout_s = z
  .number()
  .int()
  .min(1)
  .max(6 * 3_600)
  .default(1_800);
const max_turns = z
  .number()
  .int()
  .min(1)
  .max(1_000)
  .optional()
  .describe('The agent is ended after so many turns; a stronger tier tries next.');

/** Runs any program as the agent. Placeholders: {prompt} {prompt_file} {model} {effort} {task_id} {attempt}. */
export const CommandAdapter = z.strictObject({
  kind: z.literal('command'),
  argv: z
    .array(z.string().max(8_000))
    .min(1)
    .max(64)
    .describe('Program and arguments, no shell. Placeholders are replaced inside each argument.'),
  timeout_s,
});
/** An agent CLI that the box knows how to start, read and stop. */
export const Adapter = z.discriminatedUnion('kind', [
  CommandAdapter,
  z.strictObject({ kind: z.literal('claude'), timeout_s, max_turns }),
  z.strictObject({ kind: z.literal('codex'), timeout_s }),
  z.strictObject({ kind: z.literal('gemini'), timeout_s, max_turns }),
  z.strictObject({ kind: z.literal('opencode'), timeout_s }),
]);
export type Adapter = z.infer<typeof Adapter>;
export type AdapterKind = Adapter['kind'];

export const AGENT_CLI_KINDS = AGENT_CLI_PROGRAMS;
export const CliKindList = z.array(z.enum(AGENT_CLI_KINDS)).max(AGENT_CLI_KINDS.length);
export type AgentCliKind = (typeof AGENT_CLI_KINDS)[number];
export const ADAPTER_KINDS = [...AGENT_CLI_KINDS, 'command'] as const satisfies readonly AdapterKind[];
