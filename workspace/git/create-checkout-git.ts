import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitStore } from './git-store.ts';

/**
 * Gives a checkout a `.git` of its own, for agents and tools that ask git where they are. It borrows the objects of the
 * store; what is done to it never reaches the store, and we never read it again.
 */
export async function createCheckoutGit(
  store: GitStore,
  checkout: string,
  commit: string,
  index: string,
): Promise<void> {
  const dir = join(checkout, '.git');
  await mkdir(join(dir, 'objects', 'info'), { recursive: true });
  await mkdir(join(dir, 'refs', 'heads'), { recursive: true });
  const extension = store.format === 'sha256' ? '[extensions]\n\tobjectFormat = sha256\n' : '';
  await Promise.all([
    writeFile(join(dir, 'HEAD'), `${commit}\n`),
    writeFile(
      join(dir, 'config'),
      `[core]\n\trepositoryFormatVersion = ${extension ? 1 : 0}\n\tbare = false\n${extension}`,
    ),
    writeFile(join(dir, 'objects', 'info', 'alternates'), `${join(store.dir, 'objects')}\n`),
    copyFile(index, join(dir, 'index')),
    // A shallow store must not make git look for parents that were never fetched.
    copyFile(join(store.dir, 'shallow'), join(dir, 'shallow')).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    }),
  ]);
}
