import type { ProtectedFileKind } from '../../../shared/contract/submission/expected-changes.ts';

/** Words of command lines by which the reader of a file is recognised; the first pattern that matches the file's name counts. */
const READERS: readonly (readonly [name: RegExp, words: readonly string[]])[] = [
  [/^\.?(?:eslint|oxlint|tslint|jshint)/, ['eslint', 'oxlint', 'tslint', 'jshint', 'xo', 'standard', 'lint']],
  [/^\.?prettier/, ['prettier', 'eslint', 'stylelint', 'xo', 'format', 'fmt']],
  [/^\.editorconfig$/, ['editorconfig', 'prettier', 'eslint', 'shfmt', 'biome', 'ec', 'eclint', 'lint']],
  [/^\.flake8$/, ['flake8', 'pylama', 'prospector']],
  [/^\.flowconfig$/, ['flow', 'flow-bin']],
  [/^\.?markdownlint/, ['markdownlint', 'markdownlint-cli2', 'mdl']],
  [/^playwright/, ['playwright']],
  [/^codecept/, ['codecept', 'codeceptjs']],
  [/^sonar-project/, ['sonar', 'sonar-scanner', 'sonarqube-scanner']],
  [/^\.?(?:biome|rome)\b/, ['biome', 'rome']],
  [/^\.style\.yapf$|^\.yapf/, ['yapf']],
  [
    /^\.(?:pep8|pycodestyle|pydocstyle|isort)/,
    ['pycodestyle', 'pep8', 'autopep8', 'pydocstyle', 'isort', 'flake8'],
  ],
  [/^\.importlinter$/, ['importlinter', 'lint-imports']],
  [/^\.dependency-cruiser/, ['depcruise', 'dependency-cruiser']],
  [/^\.?rustfmt/, ['rustfmt', 'fmt']],
  [/^\.?golangci/, ['golangci-lint', 'golangci']],
  [/^\.?mypy/, ['mypy', 'dmypy']],
  [/pyrightconfig/, ['pyright', 'basedpyright']],
  [/^\.secrets\.baseline$/, ['detect-secrets']],
  [/^\.nsprc$/, ['nsp', 'npm-audit', 'better-npm-audit']],
  [/^(?:gnu)?makefile|\.mk$/, ['make', 'gmake', 'cargo-make']],
  [/justfile$|\.just$/, ['just']],
  [/^taskfile/, ['task', 'go-task']],
  [/^magefile/, ['mage']],
  [/^package-scripts/, ['nps']],
  [/^dodo\.py$/, ['doit']],
  [/^earthfile$/, ['earthly', 'earth']],
  [/^\.bazelrc$/, ['bazel', 'bazelisk']],
  [/^noxfile\.py$/, ['nox']],
  [/^tox\.toml$/, ['tox']],
  [/^\.?pre-commit/, ['pre-commit', 'prek']],
  [/^\.?lint-?staged/, ['lint-staged']],
];

/** Kinds of which each file is read by the tool that it is named after, and by nothing else. */
const NAMED_AFTER_TOOL: ReadonlySet<ProtectedFileKind> = new Set([
  'lint_config',
  'scanner_config',
  'build_scripts',
  'ci',
]);
/** Files of other kinds of which the same is true. */
const ALSO_NAMED_AFTER_TOOL =
  /^(?:noxfile\.py|tox\.toml|\.?(?:mypy|pyre|pytype|ty|flowconfig|codecov|coveralls|playwright|cypress|wdio|nightwatch|codecept|karma|stryker|mutants|gremlins|rspec|phpunit)\b|(?:based)?pyrightconfig)/;

/**
 * Returns the words of which a command line has one if it runs a tool that reads this file; null: no line tells that, because a
 * runner, compiler or package manager may read it unasked.
 */
export function findReaderWords(path: string, kind: ProtectedFileKind): readonly string[] | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (!NAMED_AFTER_TOOL.has(kind) && !ALSO_NAMED_AFTER_TOOL.test(name)) return null;
  const known = READERS.find(([pattern]) => pattern.test(name));
  if (known) return known[1];
  // Definitions of CI are named after what their jobs do.
  if (kind === 'ci') return null;
  const stem = /^\.?([a-z][a-z-]*)/.exec(name)?.[1]?.replace(/(?:rc|file|ignore)$/, '') ?? '';
  return stem.length < 3 ? null : [stem];
}

/** Returns a line that has one of the words, or null. */
export function findMention(lines: readonly string[], words: readonly string[]): string | null {
  const pattern = new RegExp(`(?<![A-Za-z0-9_.])(?:${words.map(escaped).join('|')})(?![A-Za-z0-9_])`, 'i');
  return lines.find((line) => pattern.test(line)) ?? null;
}

const escaped = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
