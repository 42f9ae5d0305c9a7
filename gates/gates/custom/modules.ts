import { listFolder } from '../../../workspace/git/folder.ts';
import { isRegular } from '../../../workspace/git/list.ts';
import type { Store } from '../../../workspace/git/store.ts';
import { GateName } from './settings.ts';

/** Folder of the modules, in the base commit. */
export const MODULE_FOLDER = '.assay/gates';
const SUFFIX = '.mjs';

export const moduleFile = (name: string): string => `${MODULE_FOLDER}/${name}${SUFFIX}`;

/** The gates among the files of the folder, by name. A file that begins with `_` helps others and is none. */
export const moduleNames = (files: readonly string[]): string[] =>
  files
    .filter((file) => file.endsWith(SUFFIX) && !file.startsWith('_'))
    .map((file) => file.slice(0, -SUFFIX.length))
    .sort();

/** The gates that a commit brings as modules. Links and folders are none. */
export async function modulesOf(store: Store, commit: string): Promise<string[]> {
  const entries = await listFolder(store, commit, MODULE_FOLDER);
  return moduleNames(entries.filter(isRegular).map(({ path }) => path.slice(MODULE_FOLDER.length + 1)));
}

/** What is wrong with a module's name, or null. */
export const badModuleName = (name: string): string | null =>
  GateName.safeParse(name).error?.issues[0]?.message ?? null;
