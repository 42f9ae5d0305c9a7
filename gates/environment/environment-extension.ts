import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from '../../workspace/git/list-files.ts';
import { classifyProcessResult } from '../../workspace/process/command-outcome.ts';
import type { RunSandboxCommand, SandboxExtension, SandboxFolders } from '../core/sandbox-extension.ts';
import { buildEnterFolderLine } from '../tests/running/tool-folders.ts';
import { releaseCargoHome, removeCargoTargets, shareCargoHome } from './cargo-target.ts';
import { readEnvironmentKeyInputs } from './environment-key.ts';
import { type EnvironmentSetting, toEnvironmentCommands } from './environment-setting.ts';
import { assertCargoUsesCheckout, buildGoEnvironmentVariables } from './local-source-overrides.ts';
import {
  addNodePackageProbe,
  findNodePackageOutsideCheckout,
  listChangedNodePackages,
} from './node-package-origins.ts';
import { assertPackageLinksStayInSandbox } from './package-links.ts';
import {
  buildHomeEnvironmentVariables,
  OFFLINE_VARIABLES,
  type PrepareEnvironmentOptions,
  prepareEnvironment,
  VENV_FOLDER,
} from './prepare-environment.ts';
import { addPreparedFiles, type PreparedFiles } from './prepared-files.ts';
import {
  addPythonModuleProbe,
  findPythonModuleOutsideCheckout,
  listChangedPythonModules,
} from './python-module-origins.ts';

export interface EnvironmentExtensionOptions extends Omit<PrepareEnvironmentOptions, 'setting'> {
  readonly base: string;
  /** `environment` of the base commit's configuration; null: nothing is prepared. */
  readonly setting: EnvironmentSetting | null;
  readonly changedPaths: readonly string[];
  /** Whether commands may use the network after the preparation, where the configuration does not say. */
  readonly networkByDefault: boolean;
}

/** Prepares environments once for each set of dependencies, and shares them with all sandboxes. */
export class EnvironmentExtension implements SandboxExtension {
  readonly #options: EnvironmentExtensionOptions;
  readonly #prepared = new Map<string, Promise<PreparedFiles>>();
  /** Preparations of which the links were looked at in a sandbox. */
  readonly #checked = new WeakSet<PreparedFiles>();
  readonly #cargoHomes = new Map<PreparedFiles, Promise<boolean>>();
  readonly #modules = new Map<string, ReturnType<typeof listChangedPythonModules>>();
  readonly #packages = new Map<string, ReturnType<typeof listChangedNodePackages>>();

  constructor(options: EnvironmentExtensionOptions) {
    this.#options = options;
  }

  /**
   * Prepares the environment of a tree. Trees with the manifests and lock files of the base share the base's.
   * @returns null if nothing is to be prepared.
   * @throws EnvironmentError
   */
  async prepare(tree: string): Promise<PreparedFiles | null> {
    const { sandboxes, base, setting } = this.#options;
    if (setting === null || (setting.setup.length === 0 && setting.warm_up.length === 0)) return null;
    const [inputs, ofBase] = await Promise.all(
      [tree, base].map((each) => readEnvironmentKeyInputs(sandboxes.storeOf(each), each, setting)),
    );
    const source = inputs === ofBase ? base : tree;
    const known = this.#prepared.get(inputs ?? '');
    if (known !== undefined) return known;
    // `warm_up` runs code of the tree, so what it makes of a patch is for no other run.
    const cacheFolder = source === base || setting.warm_up.length === 0 ? this.#options.cacheFolder : null;
    const preparing = prepareEnvironment(source, { ...this.#options, setting, cacheFolder });
    // The setup of a private tree can read its files, so what it leaves is for no other tree.
    if (!sandboxes.isPrivate(source)) this.#prepared.set(inputs ?? '', preparing);
    return preparing;
  }

  async install(
    tree: string,
    folders: SandboxFolders,
    runLine: RunSandboxCommand,
  ): ReturnType<SandboxExtension['install']> {
    const { sandboxes, setting } = this.#options;
    const paths = (await listFiles(sandboxes.storeOf(tree), tree)).map(({ path }) => path);
    await assertCargoUsesCheckout(paths);
    const files = await this.prepare(tree);
    if (files !== null) {
      await addPreparedFiles(files, folders);
      const hasCargoHome = await this.#linkCargoHome(files, folders);
      if (!hasCargoHome) await removeCargoTargets(files.roots, folders.checkout);
      if (!this.#checked.has(files)) await assertPackageLinksStayInSandbox(folders);
      this.#checked.add(files);
    }
    const variables = {
      ...buildGoEnvironmentVariables(paths),
      ...(files === null
        ? {}
        : buildHomeEnvironmentVariables(
            folders.home,
            folders.tmp,
            existsSync(join(files.folder, 'home', VENV_FOLDER)),
          )),
      ...(files?.cargoHome && (await this.#linkCargoHome(files, folders))
        ? { CARGO_HOME: files.cargoHome }
        : {}),
      ...setting?.variables,
    };
    for (const { run, folder } of toEnvironmentCommands(setting?.build ?? [])) {
      const built = await runLine(
        `${buildEnterFolderLine(folder)}${run}`,
        (setting?.timeout_s ?? 0) * 1_000,
        {
          ...variables,
          ...(setting?.network === 'never' ? OFFLINE_VARIABLES : {}),
        },
      );
      if (classifyProcessResult(built).outcome !== 'passed')
        return {
          variables,
          failedBuild: { ...built, output: `environment.build \`${run}\`: ${built.output}` },
        };
    }
    return {
      variables: {
        ...variables,
        ...this.#offlineVariables(),
        ...(await addPythonModuleProbe(folders, await this.#modulesOf(tree))),
        ...(await addNodePackageProbe(folders, await this.#packagesOf(tree))),
      },
      failedBuild: null,
    };
  }

  /** Places Cargo's home where the crates of a preparation were compiled, once for all sandboxes. */
  #linkCargoHome(files: PreparedFiles, { user }: SandboxFolders): Promise<boolean> {
    // Sandboxes without users of their own could write into a folder that all of them share.
    if (files.cargoHome === null || user === null) return Promise.resolve(false);
    const linking =
      this.#cargoHomes.get(files) ??
      shareCargoHome(files.cargoHome, join(files.folder, 'home', '.cargo'), this.#options.workDir);
    this.#cargoHomes.set(files, linking);
    return linking;
  }

  async identifyPreparation(tree: string): Promise<string | null> {
    // The folder of each preparation has a random name.
    return (await this.prepare(tree))?.place ?? null;
  }

  /** Removes what lies outside of the folder of the run. */
  async release(): Promise<void> {
    for (const [{ cargoHome }, linking] of this.#cargoHomes)
      if (cargoHome !== null && (await linking)) await releaseCargoHome(cargoHome, this.#options.workDir);
    this.#cargoHomes.clear();
  }

  async findForeignCode(tree: string, folders: SandboxFolders): Promise<string | null> {
    return (
      (await findPythonModuleOutsideCheckout(folders, await this.#modulesOf(tree))) ??
      (await findNodePackageOutsideCheckout(folders, await this.#packagesOf(tree)))
    );
  }

  #packagesOf(tree: string): ReturnType<typeof listChangedNodePackages> {
    const { sandboxes, changedPaths } = this.#options;
    const known =
      this.#packages.get(tree) ?? listChangedNodePackages(sandboxes.storeOf(tree), tree, changedPaths);
    this.#packages.set(tree, known);
    return known;
  }

  #modulesOf(tree: string): ReturnType<typeof listChangedPythonModules> {
    const { sandboxes, changedPaths } = this.#options;
    const known =
      this.#modules.get(tree) ?? listChangedPythonModules(sandboxes.storeOf(tree), tree, changedPaths);
    this.#modules.set(tree, known);
    return known;
  }

  #offlineVariables(): Readonly<Record<string, string>> {
    const { setting, networkByDefault } = this.#options;
    const allowed = setting?.network === undefined ? networkByDefault : setting.network === 'always';
    return setting === null || allowed ? {} : OFFLINE_VARIABLES;
  }
}
