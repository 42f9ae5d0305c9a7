import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Adapter, CliKind } from '../../shared/contract/agents/adapter.ts';
import { ADAPTER_FACTS } from '../../shared/contract/agents/adapter-facts.ts';
import CLI_VERSIONS from '../../shared/contract/agents/cli-versions.json' with { type: 'json' };
import { BASE_PATH } from '../../shared/contract/models/protocols.ts';
import { MODEL_KEYS } from '../../shared/contract/names.ts';
import { CliError, EXIT } from '../exit.ts';
import { HOME } from '../programs.ts';

/** Where `npm run test:cli` installs the pinned CLIs. */
const INSTALLED = join(HOME, '.cache/agent-clis/bin');
/** A scripted provider of models, which plays the demo's solutions. */
const SCRIPTED = resolve(HOME, 'test/support/models/demo.ts');
/** Seconds that an agent CLI may take for a task of the demo. */
const TIMEOUT_S = 600;

/** Who does the demo's tasks, with what models, and what the stack needs for it. */
export interface DemoAgent {
  readonly kind: CliKind;
  /** `real`: a provider is called, and costs money. `scripted`: this machine plays it. */
  readonly models: 'real' | 'scripted';
  readonly adapter: Adapter;
  /** For the stack, beside this process's own. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

function pathWith(kind: CliKind, env: NodeJS.ProcessEnv, installed: string): string {
  const { program, package: from, version } = CLI_VERSIONS[kind];
  const path = env['PATH'] ?? '';
  if (path.split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, program)))) return path;
  if (existsSync(join(installed, program))) return `${installed}${delimiter}${path}`;
  throw new CliError(
    EXIT.failed,
    'not_installed',
    `${program} is not installed. The version that is tested: npm install --global ${from}@${version}`,
  );
}

/** Starts the scripted provider as a process of its own; `url` is where it listens. */
async function startScripted(): Promise<{ url: string; stop: () => Promise<void> }> {
  if (!existsSync(SCRIPTED))
    throw new CliError(
      EXIT.failed,
      'no_models',
      'The scripted models are in the checkout of Assay only; set a key instead.',
    );
  const child = spawn(process.execPath, [SCRIPTED], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const first = once(createInterface({ input: child.stdout }), 'line');
  const line = await Promise.race([first, ended.then(() => null)]);
  if (line === null) throw new CliError(EXIT.failed, 'no_models', 'The scripted models did not start.');
  return {
    url: String(line[0]),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/**
 * A real agent CLI for the demo: with the key of its vendor in the environment against the real models, else against scripted ones.
 * @throws CliError when it is not installed.
 */
export async function demoAgent(
  kind: CliKind,
  env: NodeJS.ProcessEnv,
  installed = INSTALLED,
): Promise<DemoAgent> {
  const PATH = pathWith(kind, env, installed);
  const { vendor } = ADAPTER_FACTS[kind];
  const { key, url } = MODEL_KEYS[vendor];
  const common = { kind, adapter: { kind, timeout_s: TIMEOUT_S } };
  if (env[key]) return { ...common, models: 'real', env: { PATH }, stop: async () => {} };
  const scripted = await startScripted();
  return {
    ...common,
    models: 'scripted',
    env: { PATH, [key]: 'scripted', [url]: `${scripted.url}${BASE_PATH[vendor]}` },
    stop: scripted.stop,
  };
}
