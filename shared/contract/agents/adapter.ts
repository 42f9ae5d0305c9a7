import * as z from 'zod';
import {
  ADAPTER_MANIFESTS,
  AGENT_CLI_KINDS,
  AGENT_CLI_MANIFESTS,
  type AgentCliKind,
} from './adapter-manifests.ts';

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
  .describe('Maximum number of turns; after it the agent is stopped, and a stronger tier tries.');

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

type CliFields<Kind extends string> = {
  readonly kind: z.ZodLiteral<Kind>;
  readonly timeout_s: typeof timeout_s;
};
/** `max_turns` exists only for CLIs that can end a run themselves. */
type CliAdapterSchema = {
  [Kind in AgentCliKind]: z.ZodObject<
    (typeof AGENT_CLI_MANIFESTS)[Kind]['turnLimit'] extends true
      ? CliFields<Kind> & { readonly max_turns: typeof max_turns }
      : CliFields<Kind>,
    z.core.$strict
  >;
}[AgentCliKind];
const cliAdapterSchema = (kind: AgentCliKind): CliAdapterSchema =>
  z.strictObject({
    kind: z.literal(kind),
    timeout_s,
    ...(AGENT_CLI_MANIFESTS[kind].turnLimit && { max_turns }),
  }) as unknown as CliAdapterSchema;

/** Settings of the program that works on a task: one of the agent CLIs, or a command. */
export const AgentAdapterSettings = z.discriminatedUnion('kind', [
  CommandAdapter,
  ...AGENT_CLI_KINDS.map(cliAdapterSchema),
]);
export type AgentAdapterSettings = z.infer<typeof AgentAdapterSettings>;

/** Whether the CLI itself ends a run after `max_turns`. */
export const hasTurnLimit = (
  adapter: AgentAdapterSettings,
): adapter is Extract<AgentAdapterSettings, { max_turns?: unknown }> =>
  ADAPTER_MANIFESTS[adapter.kind].turnLimit;

export const CliKindList = z.array(z.enum(AGENT_CLI_KINDS)).max(AGENT_CLI_KINDS.length);

/** Whether the agent is told which model to ask: a command without `{model}` in its arguments is not, and asks what it likes, or none. */
export const takesModel = (adapter: AgentAdapterSettings): boolean =>
  adapter.kind !== 'command' || adapter.argv.some((argument) => argument.includes('{model}'));
