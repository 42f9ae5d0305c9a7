import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { AgentAdapterSettings } from '../../shared/contract/agents/adapter.ts';
import { AGENT_CLI_MANIFESTS, type AgentCliKind } from '../../shared/contract/agents/adapter-manifests.ts';
import { PROVIDER_BASE_PATHS } from '../../shared/contract/models/protocols.ts';
import { MODEL_PROVIDER_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { INSTALL_ROOT } from '../installation.ts';

/** Folder where `npm run test:cli` installs the pinned CLIs. */
const PINNED_CLIS = join(INSTALL_ROOT, '.cache/agent-clis/bin');
/** Program of the scripted model provider, which plays the demo's solutions. */
const SCRIPTED_PROVIDER = resolve(INSTALL_ROOT, 'test/support/models/demo-script.ts');
/** Time limit of an agent CLI for a task of the demo, in seconds. */
const TIMEOUT_S = 600;

/** The agent CLI of the demo, its models, and the environment of the stack for it. */
export interface DemoAgent {
  readonly kind: AgentCliKind;
  /** real: a provider is called, and costs money. scripted: a local process plays it. */
  readonly models: 'real' | 'scripted';
  readonly adapter: AgentAdapterSettings;
  /** Environment of the stack, added to this process's own. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Returns a PATH with the agent CLI. @throws CliError if it is not installed */
function pathWith(kind: AgentCliKind, env: NodeJS.ProcessEnv, pinnedClis: string): string {
  const { program, package: from, version } = AGENT_CLI_MANIFESTS[kind].install;
  const path = env['PATH'] ?? '';
  if (path.split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, program)))) return path;
  if (existsSync(join(pinnedClis, program))) return `${pinnedClis}${delimiter}${path}`;
  throw new CliError(
    CLI_EXIT_CODES.failed,
    'not_installed',
    `${program} is not installed. Install the tested version: npm install --global ${from}@${version}`,
  );
}

/** Starts the scripted provider as a child process; `url` is its address. */
async function startScriptedProvider(): Promise<{ url: string; stop: () => Promise<void> }> {
  if (!existsSync(SCRIPTED_PROVIDER))
    throw new CliError(
      CLI_EXIT_CODES.failed,
      'no_models',
      'The scripted models are only in a clone of the repository; set a key instead.',
    );
  const child = spawn(process.execPath, [SCRIPTED_PROVIDER], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const first = once(createInterface({ input: child.stdout }), 'line');
  const line = await Promise.race([first, ended.then(() => null)]);
  if (line === null)
    throw new CliError(CLI_EXIT_CODES.failed, 'no_models', 'The scripted models did not start.');
  return {
    url: String(line[0]),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/**
 * Starts a real agent CLI for the demo: with real models if the key of its vendor is in the environment, else with scripted ones.
 * @throws CliError if it is not installed
 */
export async function startDemoAgent(
  kind: AgentCliKind,
  env: NodeJS.ProcessEnv,
  pinnedClis = PINNED_CLIS,
): Promise<DemoAgent> {
  const PATH = pathWith(kind, env, pinnedClis);
  const { vendor } = AGENT_CLI_MANIFESTS[kind];
  const { key, url } = MODEL_PROVIDER_ENV_NAMES[vendor];
  const common = { kind, adapter: { kind, timeout_s: TIMEOUT_S } };
  if (env[key]) return { ...common, models: 'real', env: { PATH }, stop: async () => {} };
  const scripted = await startScriptedProvider();
  return {
    ...common,
    models: 'scripted',
    env: { PATH, [key]: 'scripted', [url]: `${scripted.url}${PROVIDER_BASE_PATHS[vendor]}` },
    stop: scripted.stop,
  };
}
