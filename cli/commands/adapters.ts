import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { AgentCliManifest } from '../../shared/contract/agents/adapter-manifest.ts';
import {
  AGENT_CLI_KINDS,
  AGENT_CLI_MANIFESTS,
  type AgentCliKind,
} from '../../shared/contract/agents/adapter-manifests.ts';
import { defineLocalCommand } from '../local-command.ts';
import type { LocalCommandSession } from '../local-session.ts';

const run = promisify(execFile);
/** Time limit for `--version` of an agent CLI. */
const VERSION_TIMEOUT_MS = 20_000;

/** What an adapter may support, as it is printed, and the capability that says so. */
const SUPPORT_FIELDS = {
  effort: 'effortLevels',
  turns: 'turnLimit',
  budget: 'costLimit',
  structured: 'structuredOutput',
  resume: 'sessionResume',
  hooks: 'hooks',
} as const satisfies Record<string, keyof AgentCliManifest>;
const ABILITIES = ['effort', 'turns', 'budget', 'structured', 'resume', 'hooks'] as const;

/** An agent CLI: its tested version, and the one on this machine. */
export interface AgentAdapterStatus {
  readonly kind: AgentCliKind;
  readonly package: string;
  /** The version that everything is tested with. */
  readonly version: string;
  /** Version of the program on the PATH; null: not installed. */
  readonly here: string | null;
  readonly vendor: AgentCliManifest['vendor'];
  readonly supports: Readonly<Record<(typeof ABILITIES)[number], boolean>>;
  /** Models by tier, for a CLI that needs the models of its vendor; null: it takes any. */
  readonly tiers: AgentCliManifest['tiers'];
}

async function installedVersion(program: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    const { stdout } = await run(program, ['--version'], { env, timeout: VERSION_TIMEOUT_MS });
    return /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? stdout.trim().slice(0, 40);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'does not start';
  }
}

const listAdapters = (env: NodeJS.ProcessEnv): Promise<AgentAdapterStatus[]> =>
  Promise.all(
    AGENT_CLI_KINDS.map(async (kind) => {
      const facts: AgentCliManifest = AGENT_CLI_MANIFESTS[kind];
      const { package: from, version, program } = AGENT_CLI_MANIFESTS[kind].install;
      const supports = Object.fromEntries(
        ABILITIES.map((name) => [name, Boolean(facts[SUPPORT_FIELDS[name]])]),
      );
      return {
        kind,
        package: from,
        version,
        here: await installedVersion(program, env),
        vendor: facts.vendor,
        supports: supports as AgentAdapterStatus['supports'],
        tiers: facts.tiers,
      };
    }),
  );

const renderAdapters = (adapters: readonly AgentAdapterStatus[], session: LocalCommandSession): string =>
  session.table(
    [
      { title: 'ADAPTER' },
      { title: 'HERE' },
      { title: 'TESTED' },
      { title: 'MODELS OF' },
      ...ABILITIES.map((name) => ({ title: name.toUpperCase(), optional: name === 'hooks' })),
    ],
    adapters.map(({ kind, here, version, vendor, supports }) => [
      { text: kind, style: here === null ? session.out.dim : session.out.bold },
      { text: here ?? 'not installed', style: here === version ? undefined : session.out.yellow },
      version,
      vendor,
      ...ABILITIES.map((name) => (supports[name] ? 'yes' : '-')),
    ]),
  );

/** `adapters list`: the agent CLIs. */
export const adaptersCommand = defineLocalCommand({
  name: 'adapters list',
  description: 'List every agent CLI: tested version, version on this machine, and abilities',
  json: {
    text: '`--json` prints every agent CLI. `version` is the tested one, `here` the one of the program on the PATH: null when it is not installed. `tiers` is null for a CLI that takes the models of any deployment.',
    example:
      '{"adapters": [{"kind": "gemini", "package": "@google/gemini-cli", "version": "0.61.0", "here": null, "vendor": "gemini", "supports": {"effort": false, "turns": true, "budget": false, "structured": false, "resume": false, "hooks": false}, "tiers": {"since": "2026-05-01", "models": {"haiku": "gemini-2.5-flash", "sonnet": "gemini-3.5-flash", "opus": "gemini-3.1-pro-preview"}}}]}',
  },
  examples: [
    ['adapters list', 'the agent CLIs and their versions'],
    ["adapters list --json | jq '.adapters[] | select(.here == null).kind'", 'those that are not installed'],
  ],
  run: async (session) => {
    const adapters = await listAdapters(session.io.env);
    session.show({ adapters }, () => renderAdapters(adapters, session));
    return undefined;
  },
});
