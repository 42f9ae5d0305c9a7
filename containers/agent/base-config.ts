import { isUtf8 } from 'node:buffer';
import { CONFIG_FILE } from '../../shared/contract/submission/image.ts';
import { readFileAt } from '../../workspace/git/folder.ts';
import type { Store } from '../../workspace/git/store.ts';

/** Largest `assay.yaml` in bytes that is read here. */
const MAX_BYTES = 256 * 1024;

/** The `assay.yaml` of a commit, as text; null where there is none that is a plain file of text. */
export async function configText(store: Store, commit: string): Promise<string | null> {
  const file = await readFileAt(store, commit, CONFIG_FILE, MAX_BYTES).catch(() => null);
  return file?.regular && isUtf8(file.content) ? file.content.toString('utf8') : null;
}
