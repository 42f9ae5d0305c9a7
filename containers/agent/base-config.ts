import { isUtf8 } from 'node:buffer';
import { REPOSITORY_CONFIG_FILE } from '../../shared/contract/submission/toolchain-image.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { readFileOfTree } from '../../workspace/git/tree-folder.ts';

/** Largest `assay.yaml` in bytes that is read here. */
const MAX_BYTES = 256 * 1024;

/** The `assay.yaml` of a commit, as text; null where there is none that is a plain file of text. */
export async function readBaseConfigText(store: GitStore, commit: string): Promise<string | null> {
  const file = await readFileOfTree(store, commit, REPOSITORY_CONFIG_FILE, MAX_BYTES).catch(() => null);
  return file?.regular && isUtf8(file.content) ? file.content.toString('utf8') : null;
}
