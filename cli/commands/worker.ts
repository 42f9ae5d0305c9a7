import { AgentAdapterSettings } from '../../shared/contract/agents/adapter.ts';
import {
  ADAPTER_KINDS,
  ADAPTER_MANIFESTS,
  type AdapterKind,
} from '../../shared/contract/agents/adapter-manifests.ts';
import { RoleName } from '../../shared/contract/submission/schema.ts';
import { findBuiltinRole } from '../../shared/control/roles/builtin-role.ts';
import { abortOnSignals } from '../abort-on-signals.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { toOneLine } from '../output/text.ts';
import { createIntegerParser, defineArgument, defineOption, type OptionParser } from '../parameters.ts';
import { defineExplicitServerCommand, LOCAL_STACK_OPTION } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { type ClaimedTaskResult, runWorker } from '../worker/run-worker.ts';

/** Adapters whose CLI counts turns itself. */
const TURN_LIMITED_KINDS = ADAPTER_KINDS.filter((kind) => ADAPTER_MANIFESTS[kind].turnLimit);

const badOption = (message: string): CliError => new CliError(CLI_EXIT_CODES.usage, 'bad_option', message);

interface AdapterOptions {
  readonly adapter: AdapterKind;
  readonly agentTimeout: number | undefined;
  readonly maxTurns: number | undefined;
}

/** Builds the adapter of the worker. @throws CliError for options that do not fit together */
function buildAdapter(
  { adapter: kind, agentTimeout, maxTurns }: AdapterOptions,
  argv: readonly string[],
): AgentAdapterSettings {
  if (kind === 'command' && argv.length === 0)
    throw badOption('--adapter command needs a command after --, for example: -- ./my-agent {prompt_file}');
  if (kind !== 'command' && argv.length > 0)
    throw badOption(`--adapter ${kind} takes no command of your own; use --adapter command.`);
  const parsed = AgentAdapterSettings.safeParse({
    kind,
    ...(kind === 'command' ? { argv } : {}),
    ...(agentTimeout === undefined ? {} : { timeout_s: agentTimeout }),
    ...(maxTurns === undefined ? {} : { max_turns: maxTurns }),
  });
  if (parsed.success) return parsed.data;
  if (maxTurns !== undefined) throw badOption(`--adapter ${kind} does not count turns: remove --max-turns.`);
  throw badOption(parsed.error.issues[0]?.message ?? 'The command cannot be run.');
}

const variableName: OptionParser<string> = (name, flag) => {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return name;
  throw badOption(`${flag} ${toOneLine(name)} is not the name of a variable.`);
};

const roleName: OptionParser<string> = (text, flag) => {
  if (RoleName.safeParse(text).success) return text;
  throw badOption(`${flag} ${toOneLine(text)} is not the name of a role.`);
};

function printResult(result: ClaimedTaskResult, session: ServerCommandSession): void {
  if (session.json) session.io.stdout.write(`${JSON.stringify(result)}\n`);
  else if (result.outcome === 'reported')
    session.print(`${result.task_id} reported; it is ${result.status} now`);
  else session.print(`${result.task_id} released: ${toOneLine(result.reason ?? '')}`);
}

/** `worker`: claims external tasks and runs agents on this machine. */
export const workerCommand = defineExplicitServerCommand({
  name: 'worker',
  arguments: {
    argv: defineArgument('[command...]', 'with --adapter command: program and arguments, after --'),
  },
  options: {
    role: defineOption('--role <role>', 'role of the tasks', { parse: roleName, required: true }),
    adapter: defineOption('--adapter <kind>', 'agent that does the tasks', {
      choices: ADAPTER_KINDS,
      required: true,
    }),
    model: defineOption('--model <model>', 'model for the agent, recorded with the attempt'),
    agentTimeout: defineOption(
      '--agent-timeout <seconds>',
      'time limit of one agent (default: 1800, or less if its role says so)',
      { parse: createIntegerParser(1, 21_600) },
    ),
    maxTurns: defineOption(
      '--max-turns <number>',
      `${TURN_LIMITED_KINDS.join(' and ')}: maximum turns of one agent`,
      {
        parse: createIntegerParser(1, 1_000),
      },
    ),
    maxTasks: defineOption(
      '--max-tasks <number>',
      'end after this many tasks; 0: never (default: as the role says)',
      {
        parse: createIntegerParser(0, 1_000_000),
      },
    ),
    untilEmpty: defineOption('--until-empty', 'end when there is no task to claim, instead of waiting'),
    pollSeconds: defineOption('--poll <seconds>', 'time between two attempts to claim a task', {
      parse: createIntegerParser(1, 3_600),
      default: 10,
    }),
    pass: defineOption('--pass <name>', 'environment variable passed to the agent (repeatable)', {
      parse: variableName,
      repeatable: true,
    }),
    local: LOCAL_STACK_OPTION,
  },
  json: {
    text: '`--json` prints a line for each task: `{"task_id": string, "attempt": number, "outcome": "reported" | "handed_back", "status": string, "reason": string | null}`.',
    option: 'print a line of JSON for each task',
  },
  examples: [
    [
      'worker --role backend --adapter claude',
      'Claude Code on this machine, with the key of this environment; ASSAY_URL names the deployment',
    ],
    ['worker --local --role backend --adapter claude', 'for the stack of `assay up` in this folder'],
    ['worker --role docs --adapter codex --max-tasks 0', 'until you stop it'],
    [
      'worker --role qa --adapter command --until-empty -- ./my-agent {prompt_file}',
      'your own program, until no task is left',
    ],
  ],
  run: async (session, { argv, role, model, untilEmpty, pollSeconds, pass, ...options }) => {
    const adapter = buildAdapter(options, argv);
    const maxTasks = options.maxTasks ?? findBuiltinRole(role)?.config.max_tasks_per_session ?? 3;
    // The worker then stops its agent and releases the task.
    const { signal, release } = abortOnSignals();
    try {
      await runWorker(session.client(), session.connection(), {
        role,
        model,
        adapter,
        maxTasks,
        pollSeconds,
        untilEmpty: untilEmpty === true,
        pass: [...ADAPTER_MANIFESTS[adapter.kind].keyVariables, ...pass],
        env: session.io.env,
        abort: signal,
        onClaim: ({ task }) => session.note(`${task.id} ${toOneLine(task.title)}`),
        onResult: (result) => printResult(result, session),
        onLog: (line) => session.note(`  ${toOneLine(line)}`),
      });
    } finally {
      release();
    }
    if (signal.aborted) throw signal.reason;
    return CLI_EXIT_CODES.ok;
  },
});
