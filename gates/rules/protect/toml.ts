import { parse, stringify } from 'smol-toml';
import {
  type ConfigObject,
  isConfigObject,
  isEqualInAnyOrder,
  isJsonEqual,
  type ProtectedConfigMergeContext,
  type ProtectedConfigMerger,
  restoreBaseSetting,
  restoreBaseSettings,
} from './config-merger.ts';

/** Reads both sides and lets `steer` put back what steers checks. What nobody can read is taken from the base. */
const tomlByBase =
  (
    steer: (head: ConfigObject, base: ConfigObject, context: ProtectedConfigMergeContext) => ConfigObject,
  ): ProtectedConfigMerger =>
  (base, head, context) => {
    const before = base === null ? {} : read(base);
    const after = read(head);
    if (!before || !after) return 'base';
    const merged = steer(after, before, context);
    return isEqualInAnyOrder(merged, after) ? null : stringify(merged);
  };

function read(text: string): ConfigObject | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

/** Tools whose settings stand under `[tool]`. */
const TOOLS = [
  'ruff',
  'flake8',
  'pylint',
  'pycodestyle',
  'pydocstyle',
  'interrogate',
  'black',
  'isort',
  'yapf',
  'mypy',
  'pyright',
  'basedpyright',
  'pyre',
  'pytype',
  'ty',
  'pytest',
  'pytest-enabler',
  'coverage',
  'diff_cover',
  'mutmut',
  'cosmic-ray',
  'hypothesis',
  'nose2',
  'bandit',
  'semgrep',
  'vulture',
  'deptry',
  'importlinter',
  'import-linter',
  'radon',
  'xenon',
  'codespell',
  'tox',
  'nox',
  'poe',
  'taskipy',
  'invoke',
  'doit',
  'hatch.envs',
  'pdm.scripts',
  'pixi.tasks',
] as const;
/** Settings of a pyproject.toml that steer checks. */
export const PYPROJECT_SETTINGS = [
  ...TOOLS.map((tool) => `tool.${tool}`),
  'build-system',
  'project.entry-points.pytest11',
];

export const mergePyproject = tomlByBase((head, base) => restoreBaseSettings(head, base, PYPROJECT_SETTINGS));

/** Parts of a Cargo.toml that decide how strictly code is built and tested, and which tests there are. */
const CARGO = [
  'lints',
  'profile',
  'patch',
  'replace',
  'workspace.lints',
  'workspace.exclude',
  'workspace.default-members',
  'package.autotests',
  'package.autobins',
  'package.autoexamples',
  'package.default-run',
];
/** Keys of a target that keep its tests from being run. */
const TARGET = ['test', 'doctest', 'harness', 'required-features'];
const DEPENDENCIES = ['dependencies', 'dev-dependencies', 'build-dependencies'];

export const mergeCargoToml = tomlByBase((head, base, context) => {
  let merged = restoreBaseSettings(head, base, CARGO);
  if (isConfigObject(merged['lib']))
    merged = { ...merged, lib: restoreBaseSettings(merged['lib'], tableOf(base['lib']), TARGET) };
  for (const kind of ['test', 'bin', 'example'])
    merged = withTargets(merged, base, kind, kind === 'test', context);
  for (const key of DEPENDENCIES) merged = withKnownSources(merged, base, key);
  const [workspace, before] = [merged['workspace'], tableOf(base['workspace'])];
  if (!isConfigObject(workspace)) return merged;
  const members = withMembers(workspace, before, context);
  return { ...merged, workspace: withKnownSources(members, before, 'dependencies') };
});

const tableOf = (value: unknown): ConfigObject => (isConfigObject(value) ? value : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const inside = (folder: string, path: string): string => (folder === '' ? path : `${folder}/${path}`);

/** Targets of one kind: their own keys are the work, what keeps them from being tested is not, and tests do not get lost. */
function withTargets(
  head: ConfigObject,
  base: ConfigObject,
  kind: string,
  keep: boolean,
  context: ProtectedConfigMergeContext,
): ConfigObject {
  const before = listOf(base[kind]).filter(isConfigObject);
  const after = listOf(head[kind]);
  const targets = after.map((target) =>
    isConfigObject(target)
      ? restoreBaseSettings(target, tableOf(before.find((each) => each['name'] === target['name'])), TARGET)
      : target,
  );
  const lost = before.filter(
    (target) =>
      keep &&
      !after.some((each) => isConfigObject(each) && each['name'] === target['name']) &&
      !context.isDeleted(
        inside(context.folder, String(target['path'] ?? `tests/${String(target['name'])}.rs`)),
      ),
  );
  const all = [...targets, ...lost];
  return all.length === 0 ? head : { ...head, [kind]: all };
}

/** A dependency that the base knows does not come from another place. */
function withKnownSources(head: ConfigObject, base: ConfigObject, key: string): ConfigObject {
  const [before, after] = [tableOf(base[key]), head[key]];
  if (!isConfigObject(after)) return head;
  let merged = after;
  for (const name of Object.keys(before))
    if (after[name] !== undefined && !isJsonEqual(sourceOf(before[name]), sourceOf(after[name])))
      merged = restoreBaseSetting(merged, before, name);
  return { ...head, [key]: merged };
}

const sourceOf = (dependency: unknown): unknown => {
  const { path, git, registry, package: name, workspace } = tableOf(dependency);
  return [path, git, registry, name, workspace];
};

/** A crate whose files are still there stays a member. */
function withMembers(
  head: ConfigObject,
  base: ConfigObject,
  context: ProtectedConfigMergeContext,
): ConfigObject {
  const after = listOf(head['members']);
  const lost = listOf(base['members']).filter(
    (member) =>
      !after.includes(member) && !context.isDeleted(inside(context.folder, `${String(member)}/Cargo.toml`)),
  );
  return lost.length === 0 ? head : { ...head, members: [...after, ...lost] };
}
