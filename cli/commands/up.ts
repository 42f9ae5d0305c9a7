import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeFileAtomically } from '../../local/atomic-files.ts';
import { MIN_FREE_BYTES_FOR_START } from '../../local/storage.ts';
import { AgentAdapterSettings } from '../../shared/contract/agents/adapter.ts';
import { AGENT_CLI_KINDS } from '../../shared/contract/agents/adapter-manifests.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import type { ForgeSettings } from '../../shared/control/forge/forge-settings.ts';
import {
  VERIFICATION_NUDGE_SETTINGS,
  type VerificationNudgeRules,
} from '../../shared/control/ledger/nudge-rules.ts';
import { OtlpEndpoint } from '../../shared/control/telemetry/otlp-endpoint.ts';
import { buildCascadePolicyEnvironment } from '../cascade-policy.ts';
import {
  CONNECTION_FILE_NAME,
  type ConnectionFile,
  LOCAL_STACK_DATA_DIR,
  readConnectionFile,
} from '../connection.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { buildForgeEnvironment, readForgeSettings } from '../forge-settings.ts';
import { findStackProgram } from '../installation.ts';
import { buildJudgeModelEnvironment } from '../judge-models.ts';
import { defineLocalCommand } from '../local-command.ts';
import type { LocalCommandSession } from '../local-session.ts';
import type { LocalStack } from '../local-stack.ts';
import { readNotifyEnvironment } from '../notify-settings.ts';
import { readOidcSetting } from '../oidc-settings.ts';
import { openInBrowser } from '../open-address.ts';
import { toOneLine } from '../output/text.ts';
import { defineOption, type OptionParser } from '../parameters.ts';
import { superviseStack } from '../supervise-stack.ts';

/** Reads a setting of the verification window as a deployment does. */
const nudgeSetting =
  (name: keyof VerificationNudgeRules): OptionParser<number> =>
  (text, flag) => {
    const parsed = VERIFICATION_NUDGE_SETTINGS[name].safeParse(text.trim() === '' ? 'nothing' : text);
    if (parsed.success) return parsed.data;
    const problem = parsed.error.issues[0]?.message ?? 'is not valid';
    throw new CliError(CLI_EXIT_CODES.usage, 'bad_option', `${flag} ${toOneLine(text)}: ${problem}.`);
  };
const nudgeOption = <const Flags extends string>(
  name: keyof VerificationNudgeRules,
  flags: Flags,
  description: string,
) => defineOption(flags, description, { parse: nudgeSetting(name) });
const NUDGE_OPTIONS = {
  nudgeThreshold: nudgeOption(
    'nudgeThreshold',
    '--nudge-threshold <ratio>',
    'alarm when a larger share of completions is unverified; 0: any, 1: never',
  ),
  nudgeMinCompletions: nudgeOption(
    'nudgeMinCompletions',
    '--nudge-min-completions <n>',
    'no alarm with fewer completions',
  ),
  nudgeWindow: nudgeOption('nudgeWindow', '--nudge-window <n>', 'number of latest completions that count'),
  nudgeWindowDays: nudgeOption(
    'nudgeWindowDays',
    '--nudge-window-days <n>',
    'age in days up to which completions count',
  ),
};

/** Returns the settings that have a value, as text. */
const givenSettings = (settings: Readonly<Record<string, string | number | undefined>>) =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

const collectorAddress: OptionParser<string> = (text, flag) => {
  const parsed = OtlpEndpoint.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new CliError(
    CLI_EXIT_CODES.usage,
    'bad_option',
    `${flag} ${toOneLine(text)} ${parsed.error.issues[0]?.message}.`,
  );
};

const portNumber: OptionParser<number> = (text, flag) => {
  const port = Number(text);
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new CliError(
    CLI_EXIT_CODES.usage,
    'bad_option',
    `${flag} must be 1 to 65535, or 0 for a free one, not ${toOneLine(text)}.`,
  );
};

/** Writes the connection file, atomically and readable for its owner only. */
function writeConnection(dataDir: string, connection: ConnectionFile): void {
  const text = `${JSON.stringify(connection, null, 2)}\n`;
  writeFileAtomically(join(dataDir, CONNECTION_FILE_NAME), text, { mode: 0o600, sync: true });
}

/**
 * Refuses a second stack on the same folder. The lock file decides, because the operating system releases it when its process ends;
 * the pid in a left-over connection file may belong to another process by now.
 * @throws CliError if a stack runs on the folder
 */
async function refuseSecondStack(dataDir: string): Promise<void> {
  const lock = join(dataDir, 'lock');
  if (!existsSync(lock)) return;
  const { tryLock } = await import('../../local/file-lock.ts');
  const release = tryLock(lock);
  if (release !== null) {
    release();
    // A killed stack leaves its connection file behind, possibly truncated.
    rmSync(join(dataDir, CONNECTION_FILE_NAME), { force: true });
    return;
  }
  const other = readConnectionFile(dataDir);
  const which = other === null ? '' : `: ${other.url} (process ${other.pid})`;
  throw new CliError(CLI_EXIT_CODES.conflict, 'already_up', `A stack already runs on ${dataDir}${which}.`, {
    hint: 'Use that stack, stop it with Ctrl-C where it runs, or give another folder with --data.',
  });
}

/** The webhook addresses for the forges. */
const webhookLines = (url: string, forges: ForgeSettings, session: LocalCommandSession): string[] =>
  [...new Set(forges.map(({ forge }) => forge))].map(
    (forge) => `  ${session.out.dim('webhook ')} ${url}/webhooks/${forge}`,
  );

function renderReady(
  connection: ConnectionFile,
  forges: ForgeSettings,
  session: LocalCommandSession,
): string {
  const pc = session.out;
  return [
    `${pc.green('Assay is up.')} Everything runs on this machine and listens on 127.0.0.1 only.`,
    '',
    `  ${pc.dim('page    ')} ${pc.bold(`${connection.url}/`)}`,
    `  ${pc.dim('API     ')} ${pc.bold(connection.url)}`,
    `  ${pc.dim('token   ')} in ${join(connection.data_dir, CONNECTION_FILE_NAME)}; commands in this folder read it`,
    `  ${pc.dim('records ')} ${connection.records_dir}`,
    ...webhookLines(connection.url, forges, session),
    '',
    `Next: ${pc.bold('assay submit FILE --wait')}, ${pc.bold('assay tasks')}, ${pc.bold('assay status')}. Ctrl-C stops it; its state is kept.`,
  ].join('\n');
}

export const upCommand = defineLocalCommand({
  name: 'up',
  options: {
    port: defineOption(
      '--port <number>',
      'port of the API; 0: any free one (default: the last one, or a free one)',
      {
        parse: portNumber,
      },
    ),
    data: defineOption('--data <folder>', 'folder of the state; a new stack on it continues the work', {
      default: LOCAL_STACK_DATA_DIR,
    }),
    models: defineOption('--models <file>', 'judge models by purpose: YAML or JSON'),
    cascade: defineOption('--cascade <file>', 'policy and budgets of the cascade: YAML or JSON'),
    forges: defineOption(
      '--forges <file>',
      'GitHub and GitLab repositories: tasks are reported there, and issues become tasks: YAML or JSON',
    ),
    notify: defineOption(
      '--notify <file>',
      'Slack, Microsoft Teams and webhooks that are told of tasks: YAML or JSON',
    ),
    oidc: defineOption('--oidc <file>', 'issuers of identity tokens that may sign in: YAML or JSON'),
    adapter: defineOption('--adapter <name>', 'agent CLI for tasks that name none', {
      choices: AGENT_CLI_KINDS,
    }),
    open: defineOption('--open', 'open the web page in a browser; it asks for the token'),
    ...NUDGE_OPTIONS,
    otlp: defineOption('--otlp <url>', 'send a trace of each ended task there, by OTLP over HTTP', {
      parse: collectorAddress,
    }),
    verbose: defineOption('--verbose', 'print the log of the stack on standard error'),
  },
  json: {
    text: '`--json` prints one line when the stack is ready. It is the same as `connection.json` in the data folder (mode 0600), which is removed when the stack stops.',
    example:
      '{"url": "http://127.0.0.1:43210", "token": "assay_op_…", "control_url": "http://127.0.0.1:43211", "dynamodb_url": "http://127.0.0.1:43212", "table": "Tasks", "access_key_id": "LOCAL…", "secret_access_key": "…", "records_dir": "/path", "data_dir": "/path", "pid": 4711}',
    option: 'print one line of JSON with url and token when ready',
  },
  examples: [
    ['up', 'in one terminal; the other commands in this folder use it'],
    ['up --open', 'and open the web page'],
    ['up --models judges.yaml', 'with judge models: docs/how-to/judges.md'],
    ['up --cascade cascade.yaml', 'with a policy that learns: docs/reference/cascade.md'],
    ['up --forges forges.yaml', 'with issues of GitHub or GitLab that become tasks: docs/how-to/forges.md'],
    ['up --oidc oidc.yaml', 'with tokens of an identity provider: docs/how-to/sign-in.md'],
    ['up --notify notify.yaml', 'with messages to a chat: docs/how-to/notifications.md'],
    ['up --nudge-threshold 0.1 --nudge-window 20', 'for work that must nearly all be verified'],
    ['up --otlp http://127.0.0.1:4318/v1/traces', 'with a collector on this machine: docs/how-to/traces.md'],
    ['up --port 8080 --data /tmp/assay --json', 'for a script: one line of JSON when ready'],
  ],
  run: async (
    session,
    { port, data, models, cascade, forges: forgesFile, notify, oidc, adapter, open, otlp, verbose, ...nudge },
  ) => {
    const { io } = session;
    const dataDir = resolve(io.cwd, data);
    // Fails in the installed package, which has no stack, before anything is written.
    findStackProgram();
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    await refuseSecondStack(dataDir);
    const forges = forgesFile === undefined ? [] : readForgeSettings(forgesFile, io);
    const env = {
      ...(models === undefined ? {} : await buildJudgeModelEnvironment(models, io)),
      ...(cascade === undefined ? {} : buildCascadePolicyEnvironment(cascade, io)),
      ...(forges.length === 0 ? {} : buildForgeEnvironment(forges)),
      ...(notify === undefined ? {} : readNotifyEnvironment(notify, io)),
      ...(adapter === undefined
        ? {}
        : {
            [FUNCTION_ENV_NAMES.defaultAdapter]: JSON.stringify(
              AgentAdapterSettings.parse({ kind: adapter }),
            ),
          }),
    };
    if (!session.json) session.note('Starting …');
    let isStarted = false;
    const onReady = (stack: LocalStack): void => {
      writeConnection(dataDir, stack.connection);
      if (isStarted) {
        session.note('There is room again: the stack continues where it was.');
        return;
      }
      isStarted = true;
      if (session.json) io.stdout.write(`${JSON.stringify(stack.connection)}\n`);
      else session.print(renderReady(stack.connection, forges, session));
      if (open) openInBrowser(`${stack.connection.url}/`, session);
    };
    const onStorageFull = (): void =>
      session.note(
        `The disk of ${dataDir} is full. Nothing that was acknowledged is lost; requests are refused until ` +
          `${MIN_FREE_BYTES_FOR_START / 1_048_576} MiB are free, then the stack continues by itself.`,
      );
    try {
      const { code, signal, isInterrupted } = await superviseStack(
        {
          dataDir,
          port,
          verbose: verbose === true,
          env,
          settings: givenSettings({
            otlpEndpoint: otlp,
            oidc: oidc === undefined ? undefined : readOidcSetting(oidc, io),
            ...nudge,
          }),
          ...(verbose ? { onLog: session.note } : {}),
        },
        { onReady, onStorageFull },
      );
      if (code !== 0 && !isInterrupted)
        throw new CliError(
          CLI_EXIT_CODES.failed,
          'stack_ended',
          `The stack ended with ${signal ?? `code ${code}`}.`,
          {
            hint: 'Start it again on the same folder: the work continues. --verbose prints its log.',
          },
        );
      return CLI_EXIT_CODES.ok;
    } finally {
      rmSync(join(dataDir, CONNECTION_FILE_NAME), { force: true });
    }
  },
});
