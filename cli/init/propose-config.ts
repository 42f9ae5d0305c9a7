import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseConfig } from '../../gates/pipeline/configuration/parse-config.ts';
import { type ListedGate, listGates } from '../gates/list-gates.ts';
import { detectWebApp } from './detect-web-app.ts';

const run = promisify(execFile);

/** Gates that a proposal enables if they have a tool, with the purpose of each, and the setting of its command. */
const TOOL_GATES: Readonly<Record<string, readonly [purpose: string, command?: string]>> = {
  lint: ['new linter errors', 'lint_command'],
  type_check: ['whether the code still compiles', 'type_check_command'],
  tests: ['whether the tests still pass', 'test_command'],
};
/** Gates that need no tool; enabled where there are tests. */
const TEST_GATES: typeof TOOL_GATES = {
  test_integrity: ['weakened, skipped or removed tests'],
  red_first: ['new tests that pass on the base commit, too'],
  suppressions: ['comments that silence a check'],
};

/** Commands that install the packages of a lockfile without running their scripts. */
const INSTALL_COMMANDS: readonly (readonly [lockfile: string, command: string])[] = [
  ['package-lock.json', 'npm ci --ignore-scripts'],
  ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile --ignore-scripts'],
  ['yarn.lock', 'yarn install --frozen-lockfile --ignore-scripts'],
  ['bun.lock', 'bun install --frozen-lockfile --ignore-scripts'],
];

/** One line of a proposal, and the reason for it. */
export interface ProposedSetting {
  readonly setting: string;
  readonly why: string;
  /** What must still be installed; null: nothing. */
  readonly missing: string | null;
}

export interface ConfigProposal {
  /** The text of assay.yaml. */
  readonly text: string;
  readonly settings: readonly ProposedSetting[];
}

/** Returns the default branch of the remote, else the branch that is checked out. */
async function defaultBranch(dir: string): Promise<string> {
  const git = async (...args: string[]): Promise<string | null> => {
    const answer = await run('git', ['-C', dir, ...args]).catch(() => null);
    return answer?.stdout.trim() || null;
  };
  const remote = await git('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD');
  return remote?.replace(/^origin\//, '') ?? (await git('branch', '--show-current')) ?? 'main';
}

/** Returns the switch of a gate, and its command if a script of the project needs packages that a clean checkout lacks. */
function gateSettings(
  { name, flag, tools }: ListedGate,
  [purpose, command]: (typeof TOOL_GATES)[string],
  setup: string | null,
): ProposedSetting[] {
  const [first] = tools;
  if (!first || flag === null) return [];
  const used = [...new Set(tools.map(({ tool }) => tool ?? 'a command'))].join(', ');
  const absent = tools.filter(({ found }) => found === false);
  const get = absent.map(({ tool: program, get }) => get ?? `${program ?? name} is not installed`);
  const missing = get.length === 0 ? null : [...new Set(get)].join('; ');
  const script = first.command !== null && SCRIPT.test(first.command) ? first.command : null;
  return [
    { setting: `${flag}: true`, why: `${purpose} (${used === 'assay' ? 'Assay itself' : used})`, missing },
    ...(script !== null && setup !== null && command !== undefined
      ? [
          {
            setting: `${command}: ${JSON.stringify(`${setup} && ${script}`)}`,
            why: 'a script of package.json; the checkout is clean, so packages are installed first',
            missing: null,
          },
        ]
      : []),
  ];
}

/** Command lines that run a script of package.json. */
const SCRIPT = /^npm (?:run|test)\b/;

/** Returns a line of YAML with comments. Names of scripts are untrusted: they are cut to one line, so that they stay comments. */
const yamlLine = (setting: string, ...comments: readonly (string | null)[]): string => {
  const text = comments.flatMap((each) => (each === null ? [] : [each.replace(/\s+/gu, ' ').slice(0, 160)]));
  return `  ${setting}${text.length === 0 ? '' : `  # ${text.join('; ')}`}`;
};

/**
 * Proposes a configuration for the working tree of a repository. Runs no code of it. Missing tools are proposed, too: a gate without its
 * tool reports that it could not run.
 */
export async function proposeConfig(dir: string): Promise<ConfigProposal> {
  const [gates, base] = await Promise.all([listGates('.', dir), defaultBranch(dir)]);
  const byName = new Map(gates.map((gate) => [gate.name, gate]));
  const found = INSTALL_COMMANDS.find(([lockfile]) => existsSync(join(dir, lockfile)));
  const setup = found?.[1] ?? null;
  const settingsFor = (wanted: typeof TOOL_GATES): ProposedSetting[] =>
    Object.entries(wanted).flatMap(([name, purpose]) => {
      const gate = byName.get(name);
      return gate ? gateSettings(gate, purpose, setup) : [];
    });
  const tools = settingsFor(TOOL_GATES);
  const hasTests = tools.some(({ setting }) => setting === 'tests: true');
  const profiles: ProposedSetting[] =
    found === undefined
      ? []
      : [
          {
            setting: `profiles: { javascript: { setup: ${found[1]} } }`,
            why: `${found[0]} exists, and tools run in a clean checkout`,
            missing: null,
          },
        ];
  const webApp = detectWebApp(dir);
  const screenshots: ProposedSetting[] =
    webApp === null || !byName.has('screenshots')
      ? []
      : [
          {
            setting: `screenshots: { enabled: true, ${webApp.settings(setup)} }`,
            why: `${webApp.why}, and Chromium is installed`,
            missing: null,
          },
        ];
  const settings = [...tools, ...screenshots, ...(hasTests ? settingsFor(TEST_GATES) : []), ...profiles];
  const text = [
    'version: 1',
    'quality_gates:',
    '  enabled: true',
    yamlLine(`base_ref: ${JSON.stringify(base)}`, 'the base of `assay check`'),
    ...settings.map(({ setting, why, missing }) =>
      yamlLine(setting, why, missing === null ? null : `to install: ${missing}`),
    ),
    '',
  ].join('\n');
  // A proposal must be a valid configuration.
  parseConfig(text);
  return { text, settings };
}
