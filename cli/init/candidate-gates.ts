import type { ProjectFiles } from '../../gates/core/project-files.ts';
import { parseTomlTables } from '../../gates/core/toml-tables.ts';
import { isTestPath } from '../../shared/contract/evidence/test-path.ts';

/** A gate with settings that may work in a repository. */
export interface CandidateGate {
  readonly gate: 'lint' | 'type_check' | 'tests';
  /** Lines of YAML under `quality_gates`, without the indentation. */
  readonly settings: Readonly<Record<string, string | boolean>>;
  /** Tools that nobody configured may be used. */
  readonly usesDefaults: boolean;
  /** What makes it a candidate. */
  readonly sign: string;
}

type Files = Pick<ProjectFiles, 'baseFile'> & { readonly paths: ReadonlySet<string> };

/** A program that a gate calls by a command, and the sign that a project uses it. */
interface CommandSign {
  readonly gate: CandidateGate['gate'];
  readonly command: string;
  readonly file: string;
  readonly pattern?: RegExp;
}

const dependency = (name: string): RegExp => new RegExp(`"${name}"\\s{0,10}:\\s{0,10}"`);
const target = (name: string): RegExp => new RegExp(`^${name}\\s*:(?!=)`, 'm');
/** A recipe may have parameters, and a just file may quiet it with `@`. */
const recipe = (name: string): RegExp => new RegExp(`^@?${name}(?:\\s[^:=]*)?:(?!=)`, 'm');

/** Commands by the signs of their tools; of one gate the first that passes counts. */
const COMMANDS: readonly CommandSign[] = [
  { gate: 'lint', command: 'npx --no-install xo', file: 'package.json', pattern: dependency('xo') },
  {
    gate: 'lint',
    command: 'npx --no-install standard',
    file: 'package.json',
    pattern: dependency('standard'),
  },
  { gate: 'lint', command: 'npx --no-install oxlint', file: 'package.json', pattern: dependency('oxlint') },
  { gate: 'lint', command: 'flake8', file: '.flake8' },
  { gate: 'lint', command: 'flake8', file: 'setup.cfg', pattern: /^\[flake8\]/m },
  { gate: 'lint', command: 'flake8', file: 'tox.ini', pattern: /^\[flake8\]/m },
  ...(['justfile', 'Justfile', '.justfile'] as const).flatMap((file): CommandSign[] => [
    { gate: 'tests', command: 'just test', file, pattern: recipe('test') },
    { gate: 'lint', command: 'just lint', file, pattern: recipe('lint') },
  ]),
  ...(['Makefile', 'makefile', 'GNUmakefile'] as const).flatMap((file): CommandSign[] => [
    { gate: 'tests', command: 'make test', file, pattern: target('test') },
    { gate: 'lint', command: 'make lint', file, pattern: target('lint') },
  ]),
  { gate: 'tests', command: 'npx --no-install turbo run test', file: 'turbo.json' },
  { gate: 'tests', command: 'npx --no-install nx run-many -t test', file: 'nx.json' },
  { gate: 'tests', command: 'tox -e py', file: 'tox.ini', pattern: /^\[tox\]/m },
  { gate: 'tests', command: 'nox -s tests', file: 'noxfile.py', pattern: /^def tests\b/m },
  {
    gate: 'tests',
    command: 'hatch test',
    file: 'pyproject.toml',
    pattern: /^\[tool\.hatch\.envs\.hatch-test\b/m,
  },
];

/**
 * Lists what may work in a repository, by its files: what the gates find by themselves first, then commands of task runners. Runs
 * nothing.
 */
export async function listCandidateGates(files: Files): Promise<CandidateGate[]> {
  const found: CandidateGate[] = [];
  const hasTests = await hasAnyTest(files);
  const scripts = await readScripts(files);
  for (const gate of ['tests', 'type_check', 'lint'] as const) {
    if (gate === 'tests' && !hasTests && !hasTestScript(scripts)) continue;
    // Tests are there, so their runner may be one that nobody configured.
    const usesDefaults = gate === 'tests' && hasTests;
    found.push({ gate, settings: { [gate]: true }, usesDefaults, sign: 'tools of the project' });
    for (const { command, file, pattern, ...sign } of COMMANDS) {
      const text = sign.gate === gate && files.paths.has(file) ? await files.baseFile(file) : null;
      if (text === null || !(pattern?.test(text) ?? true)) continue;
      const key = gate === 'tests' ? 'test_command' : `${gate}_command`;
      if (found.some((each) => each.settings[key] === command)) continue;
      found.push({ gate, settings: { [gate]: true, [key]: command }, usesDefaults, sign: file });
    }
    for (const command of listScriptCommands(scripts, gate)) {
      const key = gate === 'tests' ? 'test_command' : `${gate}_command`;
      found.push({ gate, settings: { [gate]: true, [key]: command }, usesDefaults, sign: 'package.json' });
    }
    if (gate === 'tests' && [...files.paths].some((path) => /(?:^|\/)test[^/]*\.py$/.test(path)))
      found.push({
        gate,
        settings: { tests: true, test_command: 'python -m unittest discover' },
        usesDefaults,
        sign: 'test files of Python',
      });
  }
  return found;
}

/** Most files of Rust that are read: their tests may lie beside the code. */
const MAX_RUST_FILES = 100;

async function hasAnyTest(files: Files): Promise<boolean> {
  if ([...files.paths].some(isTestPath)) return true;
  const rust = [...files.paths].filter((path) => path.endsWith('.rs')).slice(0, MAX_RUST_FILES);
  for (const path of rust) if (/#\[(?:\w+::)?test\]/.test((await files.baseFile(path)) ?? '')) return true;
  return false;
}

/** Scripts that do a part of what `test` and `lint` do, where those also check what has nothing to do with the code. */
const PARTIAL_SCRIPTS: Readonly<Record<CandidateGate['gate'], readonly string[]>> = {
  tests: [
    'test:unit',
    'unit',
    'unit-test',
    'test:ci',
    'tests-only',
    'test:node',
    'jest',
    'vitest',
    'mocha',
    'ava',
  ],
  lint: ['lint:js', 'lint:check', 'lint:eslint', 'eslint', 'lint:ts', 'lint:src'],
  type_check: ['tsc', 'check:types', 'check-types', 'test:types', 'build:types'],
};

/** Lists commands of scripts of package.json that may pass where the script of the gate fails. */
function listScriptCommands(scripts: Scripts, gate: CandidateGate['gate']): string[] {
  const own = gate === 'tests' ? 'test' : gate;
  // Such as `posttest: npm run lint`: npm runs none of them with this option.
  const hasHooks = own in scripts && (`pre${own}` in scripts || `post${own}` in scripts);
  return [
    ...(hasHooks ? [`npm run --silent --ignore-scripts ${own}`] : []),
    ...PARTIAL_SCRIPTS[gate].filter((name) => name in scripts).map((name) => `npm run --silent ${name}`),
  ];
}

type Scripts = Readonly<Record<string, unknown>>;

async function readScripts(files: Files): Promise<Scripts> {
  const text = files.paths.has('package.json') ? await files.baseFile('package.json') : null;
  try {
    const { scripts } = JSON.parse(text ?? '{}') as { scripts?: unknown };
    return typeof scripts === 'object' && scripts !== null ? (scripts as Scripts) : {};
  } catch {
    return {};
  }
}

/** Whether there is a script `test`, other than the one that `npm init` writes. */
const hasTestScript = ({ test }: Scripts): boolean =>
  typeof test === 'string' && !test.includes('no test specified');

/** Whether tests of Python call for pytest, which no manifest names. */
export const isPytestNeeded = async (files: Files): Promise<boolean> => {
  const tests = [...files.paths].filter((path) => path.endsWith('.py') && isTestPath(path)).slice(0, 20);
  if (tests.length === 0) return false;
  if (
    Object.keys(parseTomlTables(await files.baseFile('pyproject.toml'))).length > 0 &&
    files.paths.has('pytest.ini')
  )
    return true;
  const texts = await Promise.all(tests.map((path) => files.baseFile(path)));
  return texts.some((text) => /^(?:import|from) pytest\b|^def test_/m.test(text ?? ''));
};
