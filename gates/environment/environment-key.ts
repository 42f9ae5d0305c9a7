import { canonicalHash } from '../../shared/lib/canonical-json.ts';
import { compilePathFilter } from '../../shared/lib/glob/glob.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { listFiles } from '../../workspace/git/list-files.ts';
import { buildCommandEnvironment } from '../../workspace/process/command-environment.ts';
import { listProgramIdentities } from '../tests/running/program-identities.ts';
import type { EnvironmentSetting } from './environment-setting.ts';

/** Files that say what a preparation installs: manifests, lock files, settings of package managers, versions of toolchains. */
const isDependencyInput = compilePathFilter([
  '**/{package.json,package-lock.json,npm-shrinkwrap.json,yarn.lock,pnpm-lock.yaml,pnpm-workspace.yaml}',
  '**/{bun.lock,bun.lockb,.npmrc,.yarnrc,.yarnrc.yml,.nvmrc,.node-version,bunfig.toml,lerna.json}',
  '**/{pyproject.toml,setup.py,setup.cfg,Pipfile,Pipfile.lock,poetry.lock,uv.lock,pdm.lock,pylock*.toml}',
  '**/{*requirements*.txt,*requirements*.in,*constraints*.txt,requirements/**,tox.ini,noxfile.py}',
  '**/{.python-version,environment.yml,environment.yaml,uv.toml,poetry.toml,pdm.toml}',
  '**/{go.mod,go.sum,go.work,go.work.sum}',
  '**/{Cargo.toml,Cargo.lock,rust-toolchain,rust-toolchain.toml,.cargo/config.toml,.cargo/config}',
  '**/.tool-versions',
]);

/** Lines of which the inputs are known: calls of package managers and nothing else. */
const PACKAGE_MANAGER_LINE =
  /^(?:(?:npm|pnpm|yarn|bun|corepack|pip|pip3|uv|poetry|pdm|pipenv|go|cargo|python3? -m pip)\s[^;&|`$()<>]*)$/;
const SOURCE_LINE = /^(?:npm|pnpm|yarn|bun) run\b|^go (?:run|generate)\b|^cargo run\b/;

/** Programs whose version a preparation depends on, whether or not a line names them. */
const TOOLCHAINS = 'node; npm; pnpm; yarn; bun; python3; python; uv; poetry; pdm; go; cargo; rustc';

/** Returns what the preparation of a tree depends on in that tree. Trees with equal values share one preparation. */
export async function readEnvironmentKeyInputs(
  store: GitStore,
  tree: string,
  setting: EnvironmentSetting,
): Promise<string> {
  const isKeyFile = setting.key_files.length > 0 ? compilePathFilter(setting.key_files) : () => false;
  const files = await listFiles(store, tree);
  return canonicalHash(
    files
      .filter(({ path }) => !path.includes('node_modules/') && (isDependencyInput(path) || isKeyFile(path)))
      .map(({ path, mode, id }) => [path, mode, id]),
  );
}

/** Keys of one run by setting, store and tree: each asks toolchains for their versions. */
const environmentKeys = new WeakMap<EnvironmentSetting, Map<string, Promise<string>>>();

/**
 * Returns the key under which the preparation of a tree is kept between runs. It includes the whole tree where a setup line may read
 * more of it than manifests and lock files.
 */
export function computeEnvironmentKey(
  store: GitStore,
  tree: string,
  setting: EnvironmentSetting,
): Promise<string> {
  const known = environmentKeys.get(setting) ?? new Map<string, Promise<string>>();
  environmentKeys.set(setting, known);
  const id = `${store.dir}\0${tree}`;
  const key = known.get(id) ?? computeKey(store, tree, setting);
  known.set(id, key);
  return key;
}

async function computeKey(store: GitStore, tree: string, setting: EnvironmentSetting): Promise<string> {
  const lines = setting.setup.map((line) => (typeof line === 'string' ? line : line.run));
  const isClosed = lines.every((line) => PACKAGE_MANAGER_LINE.test(line) && !SOURCE_LINE.test(line));
  return canonicalHash({
    schema: 3,
    inputs: await readEnvironmentKeyInputs(store, tree, setting),
    tree: isClosed || setting.key_files.length > 0 ? null : await treeFiles(store, tree),
    setup: setting.setup,
    warm_up: setting.warm_up,
    variables: setting.variables,
    offline: setting.network === 'never',
    platform: [process.platform, process.arch],
    programs: await listProgramIdentities([TOOLCHAINS, ...lines].join('; '), null),
    environment: buildCommandEnvironment({ home: '', tmp: '' }),
  });
}

const treeFiles = async (store: GitStore, tree: string): Promise<string> =>
  canonicalHash((await listFiles(store, tree)).map(({ path, mode, id }) => [path, mode, id]));
