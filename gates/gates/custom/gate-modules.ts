import type { GitStore } from '../../../workspace/git/git-store.ts';
import { isRegularFile } from '../../../workspace/git/list-files.ts';
import { listFolder } from '../../../workspace/git/tree-folder.ts';
import { CustomGateName } from './custom-gate-setting.ts';

/** Folder of the modules, in the base commit. */
export const GATE_MODULE_FOLDER = '.assay/gates';
const SUFFIX = '.mjs';

export const gateModulePath = (name: string): string => `${GATE_MODULE_FOLDER}/${name}${SUFFIX}`;

/** The gates among the files of the folder, by name. A file that begins with `_` helps others and is none. */
export const selectGateModuleNames = (files: readonly string[]): string[] =>
  files
    .filter((file) => file.endsWith(SUFFIX) && !file.startsWith('_'))
    .map((file) => file.slice(0, -SUFFIX.length))
    .sort();

/** The gates that a commit brings as modules. Links and folders are none. */
export async function listGateModules(store: GitStore, commit: string): Promise<string[]> {
  const entries = await listFolder(store, commit, GATE_MODULE_FOLDER);
  return selectGateModuleNames(
    entries.filter(isRegularFile).map(({ path }) => path.slice(GATE_MODULE_FOLDER.length + 1)),
  );
}

/** What is wrong with a module's name, or null. */
export const findGateModuleNameProblem = (name: string): string | null =>
  CustomGateName.safeParse(name).error?.issues[0]?.message ?? null;
