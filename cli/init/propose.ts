import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseConfig } from '../../gates/pipeline/configuration/load.ts';
import { type ListedGate, listGates } from '../gates/list.ts';
import { webApp } from './web-app.ts';

const run = promisify(execFile);

/** Gates that a proposal switches on where there is something to run, what each is for, and where its command is set. */
const WANTED: Readonly<Record<string, readonly [purpose: string, command?: string]>> = {
  lint: ['what the linter says of the change', 'lint_command'],
  type_check: ['whether it still compiles', 'type_check_command'],
  tests: ['whether what passed still passes', 'test_command'],
};
/** Needs no tool: on wherever tests are, since a test is only worth what it cannot be talked into. */
const WITH_TESTS: typeof WANTED = {
  test_integrity: ['tests that are weakened, skipped or taken away'],
  red_first: ['new tests that would have passed before, too'],
  suppressions: ['comments that silence a check'],
};

/** How a lockfile's packages are installed without running their scripts. */
const SETUPS: readonly (readonly [lockfile: string, command: string])[] = [
  ['package-lock.json', 'npm ci --ignore-scripts'],
  ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile --ignore-scripts'],
  ['yarn.lock', 'yarn install --frozen-lockfile --ignore-scripts'],
  ['bun.lock', 'bun install --frozen-lockfile --ignore-scripts'],
];

/** One line of a proposal, and why it is there. */
export interface Proposed {
  readonly setting: string;
  readonly why: string;
  /** What must still be done for it to work; null: nothing. */
  readonly missing: string | null;
}

export interface Proposal {
  /** The text of assay.yaml. */
  readonly text: string;
  readonly settings: readonly Proposed[];
}

/** The branch that others start from: the remote's, else the one that is checked out. */
async function baseRef(dir: string): Promise<string> {
  const ask = async (...args: string[]): Promise<string | null> => {
    const answer = await run('git', ['-C', dir, ...args]).catch(() => null);
    return answer?.stdout.trim() || null;
  };
  const remote = await ask('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD');
  return remote?.replace(/^origin\//, '') ?? (await ask('branch', '--show-current')) ?? 'main';
}

/** A gate's switch, and its command where a script of the project needs packages that a clean checkout has not. */
function proposed(
  { name, flag, tools }: ListedGate,
  [purpose, command]: (typeof WANTED)[string],
  setup: string | null,
): Proposed[] {
  const [first] = tools;
  if (!first || flag === null) return [];
  const used = [...new Set(tools.map(({ tool }) => tool ?? 'a command'))].join(', ');
  const absent = tools.filter(({ found }) => found === false);
  const get = absent.map(({ tool: program, get }) => get ?? `${program ?? name} is not on this machine`);
  const missing = get.length === 0 ? null : [...new Set(get)].join('; ');
  const script = first.command !== null && SCRIPT.test(first.command) ? first.command : null;
  return [
    { setting: `${flag}: true`, why: `${purpose} (${used === 'assay' ? 'Assay itself' : used})`, missing },
    ...(script !== null && setup !== null && command !== undefined
      ? [
          {
            setting: `${command}: ${JSON.stringify(`${setup} && ${script}`)}`,
            why: 'a script of package.json; the checkout is clean, so packages come first',
            missing: null,
          },
        ]
      : []),
  ];
}

/** Who runs a script of package.json: for those nothing is set up. */
const SCRIPT = /^npm (?:run|test)\b/;

/** A line of YAML with its reason as a comment: whatever a script in a package is called, it stays a comment. */
const line = (setting: string, ...comments: readonly (string | null)[]): string => {
  const said = comments.flatMap((each) => (each === null ? [] : [each.replace(/\s+/gu, ' ').slice(0, 160)]));
  return `  ${setting}${said.length === 0 ? '' : `  # ${said.join('; ')}`}`;
};

/**
 * Looks at a repository as it stands, runs nothing of it, and proposes a configuration that fits. Tools that are missing are proposed all
 * the same: a gate whose tool is gone says so, and holds.
 */
export async function propose(dir: string): Promise<Proposal> {
  const [gates, base] = await Promise.all([listGates('.', dir), baseRef(dir)]);
  const byName = new Map(gates.map((gate) => [gate.name, gate]));
  const found = SETUPS.find(([lockfile]) => existsSync(join(dir, lockfile)));
  const setup = found?.[1] ?? null;
  const of = (wanted: typeof WANTED): Proposed[] =>
    Object.entries(wanted).flatMap(([name, purpose]) => {
      const gate = byName.get(name);
      return gate ? proposed(gate, purpose, setup) : [];
    });
  const tools = of(WANTED);
  const hasTests = tools.some(({ setting }) => setting === 'tests: true');
  const ready: Proposed[] =
    found === undefined
      ? []
      : [
          {
            setting: `profiles: { javascript: { setup: ${found[1]} } }`,
            why: `${found[0]} is here, and tools run in a clean checkout`,
            missing: null,
          },
        ];
  const shown = webApp(dir);
  const pictures: Proposed[] =
    shown === null || !byName.has('screenshots')
      ? []
      : [
          {
            setting: `screenshots: { enabled: true, ${shown.how(setup)} }`,
            why: `${shown.why}, and Chromium can take pictures of its pages`,
            missing: null,
          },
        ];
  const settings = [...tools, ...pictures, ...(hasTests ? of(WITH_TESTS) : []), ...ready];
  const text = [
    'version: 1',
    'quality_gates:',
    '  enabled: true',
    line(`base_ref: ${JSON.stringify(base)}`, 'what `assay check` compares with'),
    ...settings.map(({ setting, why, missing }) =>
      line(setting, why, missing === null ? null : `to get it: ${missing}`),
    ),
    '',
  ].join('\n');
  // What it would not read itself, it does not propose.
  parseConfig(text);
  return { text, settings };
}
