import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../../workspace/process/remove-folder.ts';

const PREFIX = 'assay-deliver-';

/**
 * Where this execution environment keeps files: Lambda uses it again, for other repositories, and a file outlives an invocation that was cut
 * off. No other invocation is in it at the same time.
 */
const place = (): string => process.env['TMPDIR'] ?? '/tmp';

/** What invocations before this one have left behind. */
const leftIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith(PREFIX)).map((name) => join(folder, name));

/**
 * Does something in a folder of its own, which is gone afterwards, however it ends. Whether it is gone is looked at before the next: nothing
 * of one repository is there when another is worked on.
 * @throws Error when what was left behind cannot be removed.
 */
export async function withTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const parent = place();
  await mkdir(parent, { recursive: true });
  for (const left of await leftIn(parent)) await removeFolder(left);
  const [still] = await leftIn(parent);
  if (still !== undefined)
    throw new Error(`an earlier invocation has left ${still}, which cannot be removed`);
  const folder = await mkdtemp(join(parent, PREFIX));
  try {
    return await work(folder);
  } finally {
    await removeFolder(folder);
  }
}
