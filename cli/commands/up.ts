import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { writeFileAtomically } from '../../local/atomic-files.ts';
import { Adapter, CLI_KINDS } from '../../shared/contract/agents/adapter.ts';
import { ENV } from '../../shared/contract/names.ts';
import type { ForgeSettings } from '../../shared/control/forge/schema.ts';
import { NUDGE_SETTINGS, type NudgeRules } from '../../shared/control/ledger/nudge-rules.ts';
import { OtlpEndpoint } from '../../shared/control/telemetry/endpoint.ts';
import { policyEnvironment } from '../cascade-policy.ts';
import { action, examples } from '../command.ts';
import { CONNECTION_FILE, type ConnectionFile, DATA_DIR, readConnectionFile } from '../connection.ts';
import { CliError, EXIT } from '../exit.ts';
import { forgeEnvironment, readForges } from '../forges.ts';
import type { Io } from '../io.ts';
import { judgeEnvironment } from '../judge-models.ts';
import { startStack } from '../local-stack.ts';
import { openAddress } from '../open-address.ts';
import { oneLine } from '../output/text.ts';
import { stackProgram, withStack } from '../programs.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';

interface Options {
  readonly port?: number;
  readonly data: string;
  readonly verbose?: boolean;
  readonly models?: string;
  readonly cascade?: string;
  readonly forges?: string;
  readonly adapter?: string;
  readonly open?: boolean;
  readonly otlp?: string;
  readonly nudgeThreshold?: number;
  readonly nudgeMinCompletions?: number;
  readonly nudgeWindow?: number;
  readonly nudgeWindowDays?: number;
}

const NUDGE_OPTIONS = {
  nudgeThreshold: [
    '--nudge-threshold <ratio>',
    'alarm when more than this share is unverified, above 0, below 1',
  ],
  nudgeMinCompletions: ['--nudge-min-completions <n>', 'no alarm with fewer completions'],
  nudgeWindow: ['--nudge-window <n>', 'look at so many of the latest completions'],
  nudgeWindowDays: ['--nudge-window-days <n>', 'look at none that is older'],
} as const satisfies Record<keyof NudgeRules, readonly [string, string]>;
const NUDGE_NAMES = Object.keys(NUDGE_OPTIONS) as (keyof NudgeRules)[];

/** Reads the value of a setting as a deployment would. */
const nudgeSetting =
  (name: keyof NudgeRules) =>
  (text: string): number => {
    const read = NUDGE_SETTINGS[name].safeParse(text.trim() === '' ? 'nothing' : text);
    if (read.success) return read.data;
    const [flag] = NUDGE_OPTIONS[name];
    throw new CliError(
      EXIT.usage,
      'bad_option',
      `${flag.replace(/ .*/, '')} ${oneLine(text)}: ${read.error.issues[0]?.message ?? 'is no value'}.`,
    );
  };

/** Settings of the deployment that were given. */
const chosenSettings = (options: Options): Record<string, string> => ({
  ...(options.otlp !== undefined && { otlpEndpoint: options.otlp }),
  ...Object.fromEntries(
    NUDGE_NAMES.flatMap((name) => (options[name] === undefined ? [] : [[name, String(options[name])]])),
  ),
});

function collector(text: string): string {
  const read = OtlpEndpoint.safeParse(text);
  if (read.success) return read.data;
  throw new CliError(EXIT.usage, 'bad_option', `--otlp ${oneLine(text)} ${read.error.issues[0]?.message}.`);
}

/** The adapter of a CLI, as the stack takes it. */
function agentCli(name: string): string {
  const read = Adapter.safeParse({ kind: name });
  if (read.success) return JSON.stringify(read.data);
  throw new CliError(
    EXIT.usage,
    'bad_option',
    `--adapter ${oneLine(name)}: must be one of ${CLI_KINDS.join(', ')}.`,
  );
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new CliError(
      EXIT.usage,
      'bad_port',
      `--port must be 1 to 65535, or 0 for a free one, not ${oneLine(text)}.`,
    );
  return port;
}

/** Keeps the connection where the other commands look for it, whole, and for the owner's eyes only. */
function writeConnection(dataDir: string, connection: ConnectionFile): void {
  const text = `${JSON.stringify(connection, null, 2)}\n`;
  writeFileAtomically(join(dataDir, CONNECTION_FILE), text, { mode: 0o600, sync: true });
}

/**
 * Two stacks on one folder would each think it their own. Whether one runs, its lock says, which the system takes back from a process
 * that ends: what is left in the connection file may name a process that has ended, and its number another one.
 */
async function refuseSecond(dataDir: string): Promise<void> {
  const lock = join(dataDir, 'lock');
  if (!existsSync(lock)) return;
  const { tryLock } = await import('../../local/file-lock.ts');
  const release = tryLock(lock);
  if (release !== null) {
    release();
    // A stack that was killed leaves it, whole or torn: it leads nowhere.
    rmSync(join(dataDir, CONNECTION_FILE), { force: true });
    return;
  }
  const other = readConnectionFile(dataDir);
  const which = other === null ? '' : `: ${other.url} (process ${other.pid})`;
  throw new CliError(EXIT.conflict, 'already_up', `A stack runs on ${dataDir} already${which}.`, {
    hint: 'Use that one, stop it with Ctrl-C where it runs, or give another folder with --data.',
  });
}

/** Where forges send what happens there. */
const hooks = (url: string, forges: ForgeSettings, session: Session): string[] =>
  [...new Set(forges.map(({ forge }) => forge))].map(
    (forge) => `  ${session.out.dim('webhook ')} ${url}/hooks/${forge}`,
  );

function screen(connection: ConnectionFile, forges: ForgeSettings, session: Session): string {
  const pc = session.out;
  return [
    `${pc.green('Assay is up.')} Everything runs on this machine and listens on 127.0.0.1 only.`,
    '',
    `  ${pc.dim('page    ')} ${pc.bold(`${connection.url}/`)}`,
    `  ${pc.dim('API     ')} ${pc.bold(connection.url)}`,
    `  ${pc.dim('token   ')} in ${join(connection.data_dir, CONNECTION_FILE)}; commands in this folder find it there`,
    `  ${pc.dim('records ')} ${connection.records_dir}`,
    ...hooks(connection.url, forges, session),
    '',
    `Next: ${pc.bold('assay submit FILE --wait')}, ${pc.bold('assay tasks')}, ${pc.bold('assay status')}. Ctrl-C stops it; the state stays.`,
  ].join('\n');
}

export function registerUp(program: Command, io: Io): void {
  const command = program
    .command('up')
    .description(withStack(SUMMARY.up))
    .option(
      '--port <number>',
      'port of the API; 0: any that is free (default: that of the last time, or a free one)',
      portNumber,
    )
    .option('--data <folder>', 'where the state is kept; started again on it, work goes on', DATA_DIR)
    .option('--models <file>', 'which models judge: YAML or JSON, purpose to provider and model')
    .option('--cascade <file>', 'how the cascade chooses a model, and what it may spend: YAML or JSON')
    .option(
      '--forges <file>',
      'GitHub and GitLab, which are told of tasks and whose issues become some: YAML or JSON',
    )
    .option('--adapter <name>', 'which agent CLI does tasks that name none', agentCli)
    .option('--open', 'open the page in a browser; it asks for the token')
    .option(...NUDGE_OPTIONS.nudgeThreshold, nudgeSetting('nudgeThreshold'))
    .option(...NUDGE_OPTIONS.nudgeMinCompletions, nudgeSetting('nudgeMinCompletions'))
    .option(...NUDGE_OPTIONS.nudgeWindow, nudgeSetting('nudgeWindow'))
    .option(...NUDGE_OPTIONS.nudgeWindowDays, nudgeSetting('nudgeWindowDays'))
    .option('--otlp <url>', 'send a trace of each task that has ended there, by OTLP over HTTP', collector)
    .option('--verbose', "show the stack's log on standard error")
    .option('--json', 'print one line of JSON with url and token when ready');
  action<[Options]>(command, io, async (session, options) => {
    const dataDir = resolve(session.io.cwd, options.data);
    // Before anything is written: the package has none.
    stackProgram();
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    await refuseSecond(dataDir);
    const forges = options.forges === undefined ? [] : readForges(options.forges, session.io);
    const env = {
      ...(options.models === undefined ? {} : await judgeEnvironment(options.models, session.io)),
      ...(options.cascade === undefined ? {} : policyEnvironment(options.cascade, session.io)),
      ...(forges.length === 0 ? {} : forgeEnvironment(forges)),
      ...(options.adapter === undefined ? {} : { [ENV.defaultAdapter]: options.adapter }),
    };
    if (!session.json) session.note('Starting …');
    const stack = await startStack({
      dataDir,
      port: options.port,
      verbose: options.verbose === true,
      env,
      settings: chosenSettings(options),
      ...(options.verbose ? { onLog: session.note } : {}),
    });
    try {
      writeConnection(dataDir, stack.connection);
      if (session.json) session.io.stdout.write(`${JSON.stringify(stack.connection)}\n`);
      else session.print(screen(stack.connection, forges, session));
      if (options.open) openAddress(`${stack.connection.url}/`, session);
      const { code, signal } = await stack.ended;
      if (code !== 0 && !stack.interrupted.aborted)
        throw new CliError(
          EXIT.failed,
          'stack_ended',
          `The stack ended by itself with ${signal ?? `code ${code}`}.`,
          {
            hint: 'Start it again on the same folder: work goes on where it was. --verbose shows its log.',
          },
        );
      return EXIT.ok;
    } finally {
      rmSync(join(dataDir, CONNECTION_FILE), { force: true });
      await stack.stop();
    }
  });
  examples(command, [
    ['up', 'in one terminal; the other commands find it'],
    ['up --open', 'and look at it in a browser'],
    ['up --models judges.yaml', 'with models that judge: docs/judges.md'],
    ['up --cascade cascade.yaml', 'with a policy that learns: docs/cascade.md'],
    ['up --forges forges.yaml', 'with issues of GitHub or GitLab that become tasks: docs/forges.md'],
    ['up --nudge-threshold 0.1 --nudge-window 20', 'for work of which nearly all must be verified'],
    ['up --otlp http://127.0.0.1:4318/v1/traces', 'with a collector on this machine: docs/traces.md'],
    ['up --port 8080 --data /tmp/assay --json', 'for a script: one JSON line when ready'],
  ]);
}
