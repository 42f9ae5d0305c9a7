import { mustInStore, type Store } from '../../checkout/store.ts';
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
  const listed = await mustInStore(store, ['ls-tree', '-z', commit, '--', `${MODULE_FOLDER}/`]);
  return moduleNames(
    listed
      .toString('utf8')
      .split('\0')
      .filter((entry) => entry.startsWith('100'))
      .map((entry) => entry.slice(entry.lastIndexOf('/') + 1)),
  );
}

/** What is wrong with a module's name, or null. */
export const badModuleName = (name: string): string | null =>
  GateName.safeParse(name).error?.issues[0]?.message ?? null;
