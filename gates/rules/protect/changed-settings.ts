import { parse } from 'smol-toml';
import { type ConfigObject, isConfigObject, isEqualInAnyOrder, isJsonEqual } from './config-merger.ts';
import { PACKAGE_SETTINGS } from './package-json.ts';
import type { FileProtection } from './protection-rule.ts';
import { PYPROJECT_SETTINGS } from './toml.ts';
import { findMention } from './tool-users.ts';

/** A setting that a patch changes in a manifest. */
export interface ChangedSetting {
  readonly name: string;
  /** Words of command lines whose tools read it; null: it may be read by any command. */
  readonly words: readonly string[] | null;
}

/** Settings of pyproject.toml that are read by the tool of that name only. */
const PYTHON_TOOLS: Readonly<Record<string, readonly string[]>> = {
  'tool.flake8': ['flake8'],
  'tool.pycodestyle': ['pycodestyle', 'flake8', 'autopep8'],
  'tool.pydocstyle': ['pydocstyle', 'flake8'],
  'tool.isort': ['isort', 'flake8', 'pylint'],
  'tool.pyright': ['pyright'],
  'tool.basedpyright': ['pyright', 'basedpyright'],
  'tool.diff_cover': ['diff-cover', 'diff-quality'],
  'tool.mutmut': ['mutmut'],
  'tool.mypy': ['mypy', 'dmypy', 'stubtest'],
  'tool.cosmic-ray': ['cosmic-ray', 'cr-rate'],
  'tool.importlinter': ['lint-imports', 'importlinter'],
  'tool.import-linter': ['lint-imports', 'importlinter'],
  'tool.poe': ['poe', 'poethepoet'],
  'tool.taskipy': ['task', 'taskipy'],
  'tool.invoke': ['invoke', 'inv'],
  'tool.hatch.envs': ['hatch'],
  'tool.pixi.tasks': ['pixi'],
  ...Object.fromEntries(
    'ruff pylint interrogate black yapf pyre pytype ty bandit semgrep vulture deptry radon xenon codespell tox nox doit'
      .split(' ')
      .map((tool) => [`tool.${tool}`, [tool]]),
  ),
};

const ESLINT = ['eslint', 'xo', 'standard', 'lint'];
/** The same of package.json. */
const JAVASCRIPT_TOOLS: Readonly<Record<string, readonly string[]>> = {
  eslintConfig: ESLINT,
  eslintIgnore: ESLINT,
  xo: ['xo', 'lint'],
  standard: ['standard', 'lint'],
  semistandard: ['semistandard', 'lint'],
  'ts-standard': ['ts-standard', 'lint'],
  jshintConfig: ['jshint', 'lint'],
  prettier: ['prettier', 'eslint', 'xo', 'format', 'fmt', 'lint'],
  stylelint: ['stylelint', 'lint'],
  commitlint: ['commitlint'],
  biome: ['biome'],
  knip: ['knip'],
  'size-limit': ['size-limit'],
  stryker: ['stryker'],
  'lint-staged': ['lint-staged'],
};

/** Scripts that package managers run by themselves, on installing, packing or publishing. */
const LIFECYCLE =
  /^(?:(?:pre|post)?(?:install|prepare|pack|publish|uninstall|version)|prepublishOnly|dependencies)$/;

/**
 * Returns the settings of a manifest that the patch changes and that steer tools; null: they cannot be told one by one.
 * @param lines of all commands that the checks run, with those of the scripts that they go through.
 */
export function listChangedSettings(
  { restoreScope }: FileProtection,
  base: string | null,
  head: string | null,
  lines: readonly string[],
): ChangedSetting[] | null {
  if (head === null) return null;
  if (restoreScope === 'pyproject_toml') {
    const [before, after] = [readToml(base ?? ''), readToml(head)];
    return before && after
      ? changedAmong(before, after, PYPROJECT_SETTINGS, PYTHON_TOOLS, isEqualInAnyOrder)
      : null;
  }
  if (restoreScope !== 'package_json') return null;
  const [before, after] = [readJson(base ?? '{}'), readJson(head)];
  if (!before || !after) return null;
  const others = PACKAGE_SETTINGS.filter(
    (name) =>
      name !== 'scripts' &&
      !(name === 'packageManager' && isOtherVersionOnly(before['packageManager'], after['packageManager'])),
  );
  return [
    ...changedAmong(before, after, others, JAVASCRIPT_TOOLS, isJsonEqual),
    ...listChangedScripts(before['scripts'], after['scripts'], lines),
  ];
}

const changedAmong = (
  before: ConfigObject,
  after: ConfigObject,
  names: readonly string[],
  tools: Readonly<Record<string, readonly string[]>>,
  isEqual: (a: unknown, b: unknown) => boolean,
): ChangedSetting[] =>
  names.flatMap((name) =>
    isEqual(valueAt(before, name), valueAt(after, name)) ? [] : [{ name, words: tools[name] ?? null }],
  );

/** Whether both are releases of the same package manager. */
function isOtherVersionOnly(before: unknown, after: unknown): boolean {
  const nameOf = (value: unknown): string | undefined =>
    typeof value === 'string'
      ? /^(npm|pnpm|yarn|bun)@\d+\.\d+\.\d+(?:-[\w.]+)?(?:\+[\w.]+)?$/.exec(value)?.[1]
      : undefined;
  return nameOf(before) !== undefined && nameOf(before) === nameOf(after);
}

/** A script matters where a command of the checks names it, or where a package manager runs it unasked. */
function listChangedScripts(before: unknown, after: unknown, lines: readonly string[]): ChangedSetting[] {
  const [then, now] = [before ?? {}, after ?? {}];
  if (!isConfigObject(then) || !isConfigObject(now)) return [{ name: 'scripts', words: null }];
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])];
  return names.flatMap((name): ChangedSetting[] => {
    if (then[name] === now[name]) return [];
    const called = name.replace(/^(?:pre|post)/, '').split(':')[0] ?? name;
    const isRun = LIFECYCLE.test(name) || findMention(lines, [name, called]) !== null;
    return isRun ? [{ name: `scripts.${name}`, words: null }] : [];
  });
}

const valueAt = (object: ConfigObject, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isConfigObject(value) ? value[key] : undefined), object);

function readToml(text: string): ConfigObject | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

function readJson(text: string): ConfigObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isConfigObject(value) ? value : null;
  } catch {
    return null;
  }
}
