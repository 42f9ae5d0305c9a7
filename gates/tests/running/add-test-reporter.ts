import type { PatchToCheck } from '../../core/patch-to-check.ts';
import { findPackageScriptCommand } from './command-scripts.ts';
import { findProgramCall } from './program-call.ts';
import { type CommandLine, REPORT_PATH_PLACEHOLDER } from './run-command-line.ts';
import { stopAtFirstFailure } from './stop-at-first-failure.ts';
import { findToolVersion } from './tool-version.ts';

/** The words of the commands of a line that `&&` joins; null for a line that does anything else than run them one after another. */
export function parseShellCommands(line: string): string[][] | null {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? '';
    if (quote !== null) {
      if (letter === quote) quote = null;
      else if (quote === '"' && /[$`\\]/.test(letter)) return null;
      else word += letter;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      word ??= '';
    } else if (letter === '&' && line[at + 1] === '&') {
      at++;
      if (word !== null) words.push(word);
      if (words.length === 0) return null;
      commands.push(words);
      words = [];
      word = null;
    } else if (/[;|&<>()$`\\\n\r!#]/.test(letter)) return null;
    else if (/\s/.test(letter)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + letter;
  }
  if (quote !== null) return null;
  if (word !== null) words.push(word);
  if (words.length === 0) return null;
  return [...commands, words];
}

/** How a runner is asked for single tests without a change of what it runs. */
interface TestRunnerReporter {
  readonly name: string;
  /** Whether these are the words of a call of it. */
  readonly isCall: (words: readonly string[]) => boolean;
  /** Options and settings of the project's own after which it is left alone. */
  readonly conflictsWith: RegExp;
  /** Files of the base that may hold such settings. */
  readonly configs: readonly string[];
  /** Environment that asks it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Options that ask it, at the end of its call. */
  readonly options?: string;
  /** It answers in its output, where not all may be left: no report is no answer. */
  readonly reportsInOutput?: boolean;
  /** Parts of the line that keep it from reporting and change nothing of the run. */
  readonly removes?: RegExp;
  /** Whether it runs its tests once, by the texts of `configs`; absent: it does. */
  readonly runsOnce?: (configs: readonly string[]) => boolean;
  /** It may not understand what it is asked: no report is no answer. */
  readonly mayNotReport?: boolean;
  /** First major version that understands this. */
  readonly minMajorVersion?: number;
}

const configs = (name: string): string[] =>
  ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts', 'json'].map((end) => `${name}.config.${end}`);
const isCallOf =
  (program: string, ...next: readonly string[]): TestRunnerReporter['isCall'] =>
  (words) => {
    const [first, ...rest] = findProgramCall(words);
    return first === program && next.every((word, at) => rest[at] === word);
  };
/** Commands of vitest that do not run the tests once. Without a command it does, where it has no terminal. */
const OTHER_VITEST_COMMANDS = /^(?:watch|dev|bench|list|init|related|typecheck)$/;

const TEST_RUNNER_REPORTERS: readonly TestRunnerReporter[] = [
  {
    name: 'node',
    isCall: (words) => isCallOf('node')(words) && words.includes('--test'),
    conflictsWith: /--test-reporter|--watch|--test-isolation|--experimental-test-isolation/,
    configs: ['node.config.json'],
    environment: {
      NODE_OPTIONS: `--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=${REPORT_PATH_PLACEHOLDER}`,
    },
    minMajorVersion: 20,
  },
  {
    name: 'pytest',
    isCall: isCallOf('pytest'),
    conflictsWith: /junit-?xml|PYTEST_ADDOPTS/,
    configs: [
      'pytest.ini',
      '.pytest.ini',
      'pytest.toml',
      '.pytest.toml',
      'pyproject.toml',
      'setup.cfg',
      'tox.ini',
    ],
    environment: {
      PYTEST_ADDOPTS: `--junitxml=${REPORT_PATH_PLACEHOLDER} -o junit_family=xunit1 -o junit_suite_name=pytest`,
    },
  },
  {
    name: 'tox',
    // An environment of its own passes on no variable of ours unless it is told to. Of several, each would write the same report.
    isCall: (words) => isCallOf('tox')(words) && words.some((word) => /^(?:-e|--env)/.test(word)),
    conflictsWith: /junit-?xml|PYTEST_ADDOPTS|(?:-e|--env)[ =]?\S*,/,
    configs: ['pytest.ini', 'pyproject.toml', 'setup.cfg', 'tox.ini'],
    environment: {
      PYTEST_ADDOPTS: `--junitxml=${REPORT_PATH_PLACEHOLDER} -o junit_family=xunit1 -o junit_suite_name=pytest`,
      TOX_OVERRIDE: 'testenv.pass_env+=PYTEST_ADDOPTS',
      TOX_TESTENV_PASSENV: 'PYTEST_ADDOPTS',
    },
    runsOnce: (configs) => countPytestCalls(configs) === 1,
    mayNotReport: true,
  },
  {
    name: 'unittest',
    isCall: isCallOf('unittest'),
    conflictsWith: /(?:^|\s)(?:-v|--verbose|-q|--quiet|-h|--help)(?=\s|$)/,
    configs: [],
    options: '-v',
    reportsInOutput: true,
  },
  {
    name: 'go',
    isCall: isCallOf('go', 'test'),
    // With `-v` of its own, events are lost where a test prints a line without an end. `-json` implies what it does.
    removes: /\s--?(?:test\.)?v(?:=true)?(?=\s|$)/g,
    conflictsWith: /(?:^|\s)--?(?:json|args|c|exec|bench|fuzz|o|list)\b/,
    configs: [],
    options: '-json > "$REPORT"',
  },
  {
    // It names its programs on one stream and they their tests on the other: in two pipes nobody knows which came first.
    name: 'cargo',
    isCall: isCallOf('cargo', 'test'),
    conflictsWith: /[<>]/,
    configs: [],
    options: '2>&1',
    reportsInOutput: true,
  },
  {
    name: 'vitest',
    isCall: (words) =>
      isCallOf('vitest')(words) && !OTHER_VITEST_COMMANDS.test(findProgramCall(words)[1] ?? ''),
    conflictsWith: /reporter|outputFile|--watch/,
    configs: [...configs('vitest'), ...configs('vite')],
    options: '--reporter=default --reporter=json --outputFile.json="$REPORT"',
  },
  {
    name: 'jest',
    isCall: isCallOf('jest'),
    conflictsWith: /reporter|--json|outputFile|--watch|testResultsProcessor/,
    configs: [...configs('jest'), 'package.json'],
    options: '--json --outputFile="$REPORT"',
  },
];

const PACKAGE_MANAGER = /^(?:npm|pnpm|yarn)$/;
/** Options with which a package manager runs scripts of other packages than the one at the top. */
const OTHER_PACKAGE =
  /^(?:-r|--recursive|-F|--filter|-w|--workspaces?|--workspace-root|-C|--dir|--prefix|--cwd)(?:=|$)/;

/** Counts the calls of pytest in the `commands` of tox. */
const countPytestCalls = (configs: readonly string[]): number =>
  configs.reduce((sum, text) => {
    const blocks = text.matchAll(/^commands[ \t]{0,20}=[^\n]{0,4000}(?:\n[ \t]+[^\n]{0,4000}){0,200}/gm);
    return (
      sum +
      [...blocks].reduce((all, [block]) => all + (block.match(/\b(?:pytest|py\.test)\b/g)?.length ?? 0), 0)
    );
  }, 0);

interface TestRunnerCall {
  readonly runner: TestRunnerReporter;
  /** The call is at the end, so that options can follow it. */
  readonly atEnd: boolean;
  /** Package manager that runs it as a script of package.json; null: it is no script. */
  readonly manager: string | null;
  readonly text: string;
}

/**
 * A line of tests such that its runner reports single tests, where it is one of those that can be asked without a change of the run,
 * and the line runs it once and nothing but simple commands besides. Any other line is left as it is.
 * @param options.stopsAtFirstFailure whether the first test that fails ends the run, where the runner has an option for that.
 */
export async function addTestReporter(
  subject: Pick<PatchToCheck, 'baseFile' | 'sandboxes' | 'base'>,
  line: string,
  { stopsAtFirstFailure = false }: { readonly stopsAtFirstFailure?: boolean } = {},
): Promise<CommandLine> {
  const found = findRunnerCall(line, await subject.baseFile('package.json'));
  if (!found || /\$\{?REPORT\b/.test(line) || found.runner.conflictsWith.test(found.text)) return { line };
  const { runner, atEnd, manager } = found;
  const texts = await Promise.all(runner.configs.map(async (file) => (await subject.baseFile(file)) ?? ''));
  if (texts.some((text) => runner.conflictsWith.test(text))) return { line };
  if (runner.runsOnce?.(texts) === false) return { line };
  if (manager !== null && runner.removes && found.text.search(runner.removes) >= 0) return { line };
  if (runner.minMajorVersion !== undefined && !(await isSince(subject, runner))) return { line };
  const finish = (command: CommandLine): CommandLine =>
    stopsAtFirstFailure ? stopAtFirstFailure(command, runner.name) : command;
  // Whoever ends the runner from inside, with exit 0, leaves no report.
  if (runner.environment)
    return finish({
      line,
      environment: runner.environment,
      reportRequirement: runner.mayNotReport ? 'may' : 'must',
    });
  if (!atEnd) return { line };
  // Only npm keeps options for itself.
  const separator = manager === 'npm' && !/ -- /.test(line) ? '-- ' : '';
  const kept = runner.removes ? line.replace(runner.removes, '') : line;
  const asked = `${kept} ${separator}${runner.options}`;
  return finish(runner.reportsInOutput ? { line: asked } : { line: asked, reportRequirement: 'must' });
}

async function isSince(
  { sandboxes, base }: Pick<PatchToCheck, 'sandboxes' | 'base'>,
  { name, minMajorVersion = 0 }: TestRunnerReporter,
): Promise<boolean> {
  const version = await findToolVersion(sandboxes, base, {
    name,
    versionLine: `command -v ${name} >/dev/null || exit 127; ${name} --version`,
    installHint: '',
  });
  return version !== null && Number.parseInt(version, 10) >= minMajorVersion;
}

function findRunnerCall(line: string, packageJson: string | null): TestRunnerCall | null {
  const commands = parseShellCommands(line);
  if (commands === null) return null;
  const found = commands.map((words, at): TestRunnerCall | null => {
    const atEnd = at === commands.length - 1;
    const own = TEST_RUNNER_REPORTERS.find(({ isCall }) => isCall(words));
    if (own) return { runner: own, atEnd, manager: null, text: line };
    const name = scriptName(words);
    const script = name === null ? null : findPackageScriptCommand(packageJson, name);
    const inner = script === null ? null : findRunnerCall(script, null);
    if (script === null || inner === null) return null;
    return {
      ...inner,
      atEnd: atEnd && inner.atEnd,
      manager: words[0] ?? null,
      text: `${line}\n${script}`,
    };
  });
  const [only, ...more] = found.filter((each) => each !== null);
  return only && more.length === 0 ? only : null;
}

/** Name of the script of package.json that a package manager is to run. */
function scriptName(words: readonly string[]): string | null {
  const [manager = '', ...rest] = words;
  if (!PACKAGE_MANAGER.test(manager) || rest.some((word) => OTHER_PACKAGE.test(word))) return null;
  const plain = rest.filter((word) => !word.startsWith('-'));
  if (plain[0] === 'test' || plain[0] === 't') return 'test';
  return (plain[0] === 'run' || plain[0] === 'run-script') && plain[1] !== undefined ? plain[1] : null;
}
