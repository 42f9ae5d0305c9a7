import { type Command, Option } from 'commander';
import { ADAPTER_KINDS, Adapter, type AdapterKind } from '../../shared/contract/agents/adapter.ts';
import { Role } from '../../shared/contract/submission/schema.ts';
import { builtinRole } from '../../shared/control/roles/known.ts';
import { action, examples } from '../command.ts';
import { CliError, EXIT, Interrupted } from '../exit.ts';
import type { Io } from '../io.ts';
import { oneLine } from '../output/text.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';
import { type Done, runWorker } from '../worker/loop.ts';

interface Options {
  readonly role: string;
  readonly adapter: AdapterKind;
  readonly model?: string;
  readonly agentTimeout?: string;
  readonly maxTurns?: string;
  readonly maxTasks?: string;
  readonly untilEmpty?: boolean;
  readonly poll: string;
  readonly pass: readonly string[];
}

/** Where each CLI finds its own key or another address, when the laptop's owner has set it. */
const KEYS: Readonly<Record<AdapterKind, readonly string[]>> = {
  claude: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'CLAUDE_CODE_OAUTH_TOKEN'],
  codex: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  gemini: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_BASE_URL'],
  opencode: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY'],
  command: [],
};

const wrong = (message: string): CliError => new CliError(EXIT.usage, 'bad_option', message);

function whole(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw wrong(`--${name} must be a whole number from ${least} to ${most}, not ${oneLine(text)}.`);
  return value;
}

function adapterOf(options: Options, argv: readonly string[]): Adapter {
  if (options.adapter === 'command' && argv.length === 0)
    throw wrong('Which command? Give it after --, for instance: -- ./my-agent {prompt_file}');
  if (options.adapter !== 'command' && argv.length > 0)
    throw wrong(`--adapter ${options.adapter} takes no command of your own; use --adapter command.`);
  const max_turns = whole('max-turns', options.maxTurns, 1, 1_000);
  const timeout_s = whole('agent-timeout', options.agentTimeout, 1, 21_600);
  const parsed = Adapter.safeParse({
    kind: options.adapter,
    ...(options.adapter === 'command' ? { argv } : {}),
    ...(timeout_s === undefined ? {} : { timeout_s }),
    ...(max_turns === undefined ? {} : { max_turns }),
  });
  if (parsed.success) return parsed.data;
  if (max_turns !== undefined)
    throw wrong(`--adapter ${options.adapter} counts no turns: leave --max-turns out.`);
  throw wrong(parsed.error.issues[0]?.message ?? 'The command cannot be run.');
}

const variable = (name: string, all: readonly string[]): string[] => {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw wrong(`--pass ${oneLine(name)} is no name of a variable.`);
  return [...all, name];
};

/** Told to end, the worker stops its agent and hands the task back first. */
function untilInterrupted(): { readonly signal: AbortSignal; readonly done: () => void } {
  const stopping = new AbortController();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const onSignal = (signal: NodeJS.Signals): void => stopping.abort(new Interrupted(signal));
  for (const signal of signals) process.on(signal, onSignal);
  return {
    signal: stopping.signal,
    done: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

function tell(done: Done, session: Session): void {
  if (session.json) session.io.stdout.write(`${JSON.stringify(done)}\n`);
  else if (done.outcome === 'reported') session.print(`${done.task_id} handed in; it is ${done.status} now`);
  else session.print(`${done.task_id} handed back: ${oneLine(done.reason ?? '')}`);
}

export function registerWorker(program: Command, io: Io): void {
  const command = program
    .command('worker')
    .argument('[command...]', 'with --adapter command: program and arguments, after --')
    .description(SUMMARY.worker)
    .requiredOption('--role <role>', 'whose tasks')
    .addOption(
      new Option('--adapter <kind>', 'the agent that does them').choices(ADAPTER_KINDS).makeOptionMandatory(),
    )
    .option('--model <model>', 'model for the agent, and for the record of the attempt')
    .option(
      '--agent-timeout <seconds>',
      'longest time of one agent (default: 1800, or less if its role says so)',
    )
    .option('--max-turns <number>', 'claude and gemini: turns of one agent')
    .option('--max-tasks <number>', 'end after so many tasks; 0: never (default: what the role says)')
    .option('--until-empty', 'end when there is nothing to claim, instead of waiting')
    .option('--poll <seconds>', 'how often to ask while there is nothing to claim', '10')
    .option('--pass <name>', 'variable that the agent may have; may be repeated', variable, [])
    .option('--json', 'print a line of JSON for each task');
  action<[string[], Options]>(command, io, async (session, argv, options) => {
    if (!Role.safeParse(options.role).success)
      throw wrong(`--role ${oneLine(options.role)} is no name of a role.`);
    const adapter = adapterOf(options, argv);
    const perSession = builtinRole(options.role)?.config.max_tasks_per_session ?? 3;
    const maxTasks = whole('max-tasks', options.maxTasks, 0, 1_000_000) ?? perSession;
    const pollSeconds = whole('poll', options.poll, 1, 3_600) ?? 10;
    const { signal, done } = untilInterrupted();
    try {
      await runWorker(session.client(), session.connection(), {
        ...options,
        model: options.model,
        adapter,
        maxTasks,
        pollSeconds,
        untilEmpty: options.untilEmpty === true,
        pass: [...KEYS[adapter.kind], ...options.pass],
        env: session.io.env,
        abort: signal,
        onClaim: ({ task }) => session.note(`${task.id} ${oneLine(task.title)}`),
        onDone: (each) => tell(each, session),
        onLog: (line) => session.note(`  ${oneLine(line)}`),
      });
    } finally {
      done();
    }
    if (signal.aborted) throw signal.reason;
    return EXIT.ok;
  });
  examples(command, [
    [
      'worker --role backend --adapter claude',
      'Claude Code on this machine, with the key of this environment',
    ],
    ['worker --role docs --adapter codex --max-tasks 0', 'until it is stopped'],
    [
      'worker --role qa --adapter command --until-empty -- ./my-agent {prompt_file}',
      'a program of your own, until nothing is left',
    ],
  ]);
}
