import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createDemoRepository } from '../../cli/demo/demo-repository.ts';
import { buildDemoTasks } from '../../cli/demo/demo-tasks.ts';
import type { AgentInvocationInput } from '../../containers/agent/adapters/adapter.ts';
import { AGENT_ADAPTERS } from '../../containers/agent/adapters/registry.ts';
import type { AgentCliKind } from '../../shared/contract/agents/adapter-manifests.ts';
import { AGENT_CLI_MANIFESTS } from '../../shared/contract/agents/adapter-manifests.ts';
import { DEFAULT_TIER_MODELS, selectTierModels } from '../../shared/contract/agents/tiers.ts';
import { createTemporaryFolder } from '../../test/support/git-repository.ts';
import { getDemoScript } from '../../test/support/models/demo-script.ts';
import { startModelServer } from '../../test/support/models/model-server.ts';
import { CLI_BIN_FOLDER, CLI_INSTALL_FOLDER, INSTALLED_CLIS } from '../agent-clis/installed-clis.ts';
import { formatMs, type ResultSection } from './result-page.ts';
import { median } from './statistics.ts';

const RUNS = 3;
const TIME = '/usr/bin/time';

export interface AgentCliResult {
  readonly kind: AgentCliKind;
  readonly version: string;
  /** Of all files that npm installs, hard links counted once. */
  readonly installed_bytes: number;
  /** Medians of the runs. CPU of the CLI and of all that it starts; memory of its largest process. */
  readonly cpu_ms: number;
  readonly peak_bytes: number;
  /** Sum of the files that it leaves in its home. */
  readonly home_bytes: number;
  readonly calls: number;
}

/** Bytes of all files below a folder; those that are one file by several names count once. Links are not followed. */
export function measureFolderBytes(folder: string, seen = new Set<number>()): number {
  return readdirSync(folder).reduce((sum, name) => {
    const path = join(folder, name);
    const { ino, size, nlink } = lstatSync(path);
    if (lstatSync(path).isDirectory()) return sum + measureFolderBytes(path, seen);
    if (nlink > 1 && seen.has(ino)) return sum;
    seen.add(ino);
    return sum + size;
  }, 0);
}

/** One run of a CLI on the first task of the demo, as its adapter starts it, against the scripted models. */
async function runOnce(
  kind: AgentCliKind,
  url: string,
): Promise<{ cpu: number; peak: number; home: number }> {
  const folder = createTemporaryFolder('assay-bench-agent-');
  const { folder: origin } = createDemoRepository(join(folder, 'origin.git'));
  const checkout = join(folder, 'checkout');
  execFileSync('git', ['clone', '--quiet', '--branch', 'main', origin, checkout]);
  const [first] = buildDemoTasks('');
  if (!first) throw new Error('the demo has no task');
  const prompt = `${first.task.title}\n\n${first.task.description ?? ''}`;
  const home = join(folder, 'home');
  const at = (name: string): string => join(folder, name);
  const job = {
    assignment: {
      model: selectTierModels({ kind, timeout_s: 60 }, DEFAULT_TIER_MODELS).haiku,
      effort: 'low',
      adapter: { kind, timeout_s: 60 },
    },
    layout: { root: folder, checkout, home, tmp: at('tmp'), instructionsFile: at('tmp/role.md') },
    fullPrompt: prompt,
    promptArgument: prompt,
    modelAccess: { token: 'token', base_urls: { anthropic: url, openai: `${url}/v1`, gemini: url } },
    instructions: { role: 'You write code.', repository: null, file: at('tmp/role.md') },
    maxCostUsd: null,
    runsAsRoot: process.getuid?.() === 0,
  } as unknown as AgentInvocationInput;
  const { argv, env, files } = AGENT_ADAPTERS[kind].invoke(job);
  mkdirSync(home);
  mkdirSync(at('tmp'));
  for (const [path, text] of Object.entries({ ...files, [at('tmp/role.md')]: 'You write code.' })) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const measured = at('tmp/time');
  const child = spawn(TIME, ['-o', measured, '-f', '%U %S %M', ...argv], {
    cwd: checkout,
    env: {
      PATH: `${CLI_BIN_FOLDER}${delimiter}${process.env['PATH'] ?? ''}`,
      HOME: home,
      TMPDIR: at('tmp'),
      TERM: 'dumb',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'close');
  const done = readFileSync(join(checkout, 'src/slug.js'), 'utf8').includes('NFD');
  if (!done) throw new Error(`${kind} has not done the task`);
  const [user = 0, system = 0, peak = 0] = (readFileSync(measured, 'utf8').trim().split('\n').at(-1) ?? '')
    .split(' ')
    .map(Number);
  const left = measureFolderBytes(home);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  return { cpu: (user + system) * 1_000, peak: peak * 1_024, home: left };
}

/** What an agent CLI costs a box: what it weighs, and what it uses for a small task. The CLIs are those that `npm run test:cli` installs. */
export async function benchAgentClis(
  say: (line: string) => void,
): Promise<{ runs: number; agents: AgentCliResult[] }> {
  if (INSTALLED_CLIS.length === 0)
    throw new Error('no agent CLI is installed: npm run test:cli installs them');
  if (!existsSync(TIME)) throw new Error(`${TIME} is not there: it measures what children use`);
  const server = await startModelServer({ script: getDemoScript });
  const agents: AgentCliResult[] = [];
  try {
    for (const kind of INSTALLED_CLIS) {
      say(`${RUNS} runs of ${kind} on the first task of the demo`);
      const before = server.calls.length;
      const runs: Awaited<ReturnType<typeof runOnce>>[] = [];
      for (let run = 0; run < RUNS; run++) runs.push(await runOnce(kind, server.url));
      agents.push({
        kind,
        version: AGENT_CLI_MANIFESTS[kind].install.version,
        installed_bytes: measureFolderBytes(join(CLI_INSTALL_FOLDER, kind)),
        cpu_ms: median(runs.map(({ cpu }) => cpu)),
        peak_bytes: median(runs.map(({ peak }) => peak)),
        home_bytes: median(runs.map(({ home }) => home)),
        calls: (server.calls.length - before) / RUNS,
      });
    }
  } finally {
    await server.stop();
  }
  return { runs: RUNS, agents };
}

const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

export const renderAgentCliSections = ({
  runs,
  agents,
}: Awaited<ReturnType<typeof benchAgentClis>>): ResultSection[] => [
  [
    `The agent CLIs: what each adds to an image, and what it uses for the first task of the demo (median of ${runs}, scripted models)`,
    [
      ['', 'installed by npm', 'CPU', 'peak memory', 'left in its home', 'calls of models'],
      ...agents.map(({ kind, version, installed_bytes, cpu_ms, peak_bytes, home_bytes, calls }) => [
        `${kind} ${version}`,
        mb(installed_bytes),
        formatMs(cpu_ms),
        mb(peak_bytes),
        mb(home_bytes),
        String(calls),
      ]),
    ],
  ],
];
