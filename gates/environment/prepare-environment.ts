import { randomUUID } from 'node:crypto';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isRegularFile, listFiles } from '../../workspace/git/list-files.ts';
import { readBlobs } from '../../workspace/git/read-blobs.ts';
import { buildCommandEnvironment } from '../../workspace/process/command-environment.ts';
import { classifyProcessResult } from '../../workspace/process/command-outcome.ts';
import { removeFolder } from '../../workspace/process/remove-folder.ts';
import { EnvironmentPreparationError, type SandboxFolders } from '../core/sandbox-extension.ts';
import type { SandboxFactory } from '../core/sandbox-factory.ts';
import { buildEnterFolderLine } from '../tests/running/tool-folders.ts';
import { canPlaceCargoHome, createCargoHomePath, listCargoNames } from './cargo-target.ts';
import { cachePreparedFiles, readCachedPreparedFiles } from './environment-cache.ts';
import { computeEnvironmentKey } from './environment-key.ts';
import { type EnvironmentSetting, toEnvironmentCommands } from './environment-setting.ts';
import {
  type CargoPreparation,
  capturePreparedFiles,
  copyPreparedFiles,
  type PreparedFiles,
} from './prepared-files.ts';

/** Manifests of Python. A tree that has one gets a virtual environment. */
const PYTHON_MANIFEST =
  /(?:^|\/)(?:pyproject\.toml|setup\.py|setup\.cfg|Pipfile|[^/]*requirements[^/]*\.txt)$/;
/** Setup lines that install packages of Python. They get a virtual environment too. */
const PYTHON_LINE = /\b(?:pip3?|python3?|uv|poetry|pdm|pipenv|tox|nox|hatch)\b/;
/** Folder of the home that holds the virtual environment. */
export const VENV_FOLDER = 'venv';
/** Folder of the home for programs that setup lines install globally. */
const PROGRAMS_FOLDER = '.local';

export interface PrepareEnvironmentOptions {
  readonly sandboxes: SandboxFactory;
  readonly setting: EnvironmentSetting;
  /** Folder for the prepared files of this run. */
  readonly workDir: string;
  /** Folder that keeps preparations between runs; null: none. */
  readonly cacheFolder: string | null;
  /** Gets one line for each step. */
  readonly onProgress?: (text: string) => void;
}

/**
 * Prepares the environment of a tree, or takes it from the cache.
 * @throws EnvironmentError if a setup line fails.
 */
export async function prepareEnvironment(
  tree: string,
  options: PrepareEnvironmentOptions,
): Promise<PreparedFiles> {
  const { sandboxes, setting, workDir, cacheFolder, onProgress = () => {} } = options;
  const folder = join(workDir, `environment-${randomUUID()}`);
  sandboxes.removeWithPrivateTree(tree, folder);
  if (cacheFolder === null || sandboxes.isPrivate(tree)) return runSetup(tree, folder, options);
  const key = await computeEnvironmentKey(sandboxes.storeOf(tree), tree, setting);
  const kept = await readCachedPreparedFiles(cacheFolder, key);
  if (kept !== null) {
    onProgress('environment: taken from the cache');
    // A copy: commands of this run cannot change what is kept.
    return copyPreparedFiles(kept, folder);
  }
  const files = await runSetup(tree, folder, options);
  await cachePreparedFiles(files, cacheFolder, key);
  return files;
}

/**
 * Compiles the installed packages of Python to bytecode, which uv and others leave to the first import: each sandbox would do it anew. Runs
 * none of their code: `-S` reads no `.pth` file. Whether it succeeds does not count.
 */
const COMPILE_PYTHON_LINE =
  'for packages in "$VIRTUAL_ENV"/lib/python*/site-packages; do "$VIRTUAL_ENV/bin/python" -I -S -m compileall -q -j 0 "$packages"; done';
/** Longest time for it, in milliseconds. */
const COMPILE_MS = 120_000;

async function runSetup(
  tree: string,
  folder: string,
  { sandboxes, setting, cacheFolder, onProgress = () => {} }: PrepareEnvironmentOptions,
): Promise<PreparedFiles> {
  const sandbox = await sandboxes.createBareSandbox(tree);
  const { folders } = sandbox;
  const store = sandboxes.storeOf(tree);
  const lines = toEnvironmentCommands(setting.setup);
  const left = sandboxes.startTimeLimit(setting.timeout_s * 1_000);
  const needsPython =
    lines.some(({ run }) => PYTHON_LINE.test(run)) ||
    (await listFiles(store, tree)).some(({ path }) => PYTHON_MANIFEST.test(path));
  const variables: Record<string, string> = {
    ...buildSetupVariables(folders, needsPython),
    ...setting.variables,
    ...(setting.network === 'never' ? OFFLINE_VARIABLES : {}),
  };
  const cargo = await placeCargo(sandboxes, tree, folders, setting);
  if (cargo !== null) variables['CARGO_HOME'] = cargo.home;
  try {
    const venv = join(folders.home, VENV_FOLDER);
    const venvLine = `python3 -m venv ${shellQuote(venv)} || python -m venv ${shellQuote(venv)}`;
    const all = needsPython ? [{ run: venvLine, folder: '' }, ...lines] : lines;
    for (const { run, folder: at } of all) {
      if (run !== venvLine) onProgress(`environment: ${at === '' ? '' : `in ${at}: `}${run}`);
      const ran = await sandbox.run({ line: `${buildEnterFolderLine(at)}${run}` }, left(), variables);
      const { outcome, detail } = classifyProcessResult(ran);
      if (outcome !== 'passed')
        throw new EnvironmentPreparationError(`the environment could not be prepared: \`${run}\`: ${detail}`);
    }
    for (const { run, folder: at } of toEnvironmentCommands(setting.warm_up)) {
      onProgress(`environment: ${at === '' ? '' : `in ${at}: `}${run}`);
      const { end } = await sandbox.run({ line: `${buildEnterFolderLine(at)}${run}` }, left(), variables);
      // Whether the line succeeds does not count. What it started must not go on while its files are taken.
      if (end === 'uncontained')
        throw new EnvironmentPreparationError(`what \`${run}\` started could not be ended`);
    }
    // For one run it costs more than it saves.
    if (needsPython && cacheFolder !== null) {
      const { end } = await sandbox.run(
        { line: COMPILE_PYTHON_LINE },
        Math.min(left(), COMPILE_MS),
        variables,
      );
      if (end === 'uncontained')
        throw new EnvironmentPreparationError(
          'a process that compiled packages of Python could not be ended',
        );
    }
    return await capturePreparedFiles(store, folders, folder, cargo);
  } finally {
    if (cargo !== null) await removeFolder(cargo.home);
  }
}

/** Gives Cargo a home that all sandboxes can have; null where crates are compiled in each sandbox. */
async function placeCargo(
  sandboxes: SandboxFactory,
  tree: string,
  { user }: SandboxFolders,
  setting: EnvironmentSetting,
): Promise<CargoPreparation | null> {
  const store = sandboxes.storeOf(tree);
  const files = await listFiles(store, tree);
  const warmsUp = toEnvironmentCommands(setting.warm_up).some(({ run }) => /\bcargo\b/.test(run));
  // What is made of a private tree is for no other tree, so a sandbox of it compiles on its own.
  if (!warmsUp || sandboxes.isPrivate(tree)) return null;
  const paths = files.map(({ path }) => path);
  if (!canPlaceCargoHome(paths, setting.variables)) return null;
  const manifests = files.filter(({ path }) => /(?:^|\/)Cargo\.toml$/.test(path));
  if (!manifests.every(isRegularFile)) return null;
  const texts = await readBlobs(
    store,
    manifests.map(({ id }) => id),
    MAX_MANIFEST_BYTES,
  );
  const names = await Promise.all([...texts.values()].map((text) => listCargoNames(text.toString('utf8'))));
  // Crates of the tree whose names are not known would be taken as crates of the registry.
  if (texts.size < new Set(manifests.map(({ id }) => id)).size) return null;
  if (names.includes(null)) return null;
  const home = createCargoHomePath();
  await mkdir(home, { mode: 0o700 });
  if (user) await chown(home, user.uid, user.gid);
  return { home, ownNames: new Set(names.flatMap((each) => each ?? [])) };
}

/** Largest Cargo.toml that is read, in bytes. */
const MAX_MANIFEST_BYTES = 1_048_576;

const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Package managers stay offline, and other programs that honour a proxy find none. */
export const OFFLINE_VARIABLES: Readonly<Record<string, string>> = {
  npm_config_offline: 'true',
  YARN_ENABLE_NETWORK: '0',
  PIP_NO_INDEX: '1',
  UV_OFFLINE: '1',
  GOPROXY: 'off',
  CARGO_NET_OFFLINE: 'true',
  http_proxy: 'http://127.0.0.1:9',
  https_proxy: 'http://127.0.0.1:9',
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  no_proxy: 'localhost,127.0.0.1,::1',
  NO_PROXY: 'localhost,127.0.0.1,::1',
};

/** Variables with which setup lines run: package managers of Python use the virtual environment that we make. */
function buildSetupVariables({ home, tmp }: SandboxFolders, needsPython: boolean): Record<string, string> {
  return {
    ...buildHomeEnvironmentVariables(home, tmp, needsPython),
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_config_prefix: join(home, PROGRAMS_FOLDER),
  };
}

/** Variables with which commands find what the preparation installed in the home folder. */
export function buildHomeEnvironmentVariables(
  home: string,
  tmp: string,
  hasVenv: boolean,
): Record<string, string> {
  const { PATH = '' } = buildCommandEnvironment({ home, tmp });
  const path = `${join(home, PROGRAMS_FOLDER, 'bin')}:${PATH}`;
  if (!hasVenv) return { PATH: path };
  const venv = join(home, VENV_FOLDER);
  return {
    VIRTUAL_ENV: venv,
    PATH: `${join(venv, 'bin')}:${path}`,
    UV_PROJECT_ENVIRONMENT: venv,
    POETRY_VIRTUALENVS_CREATE: 'false',
  };
}
