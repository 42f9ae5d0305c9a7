import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitStore, ObjectFormat } from './git-store.ts';

export interface CheckoutGitOptions {
  readonly checkout: string;
  readonly format: ObjectFormat;
  /** Object folder that the repository borrows from. Commands in the checkout can read everything in it. */
  readonly borrowFrom: string;
  /** Base commit, which becomes HEAD. Its parents are not there. */
  readonly commit: string;
  /** Index that the checkout was written with. */
  readonly index: string;
}

/**
 * Gives a checkout a `.git` folder of its own, for agents and tools that ask git where they are. What they do to it
 * never reaches the store, and we never read it again.
 * @returns the repository, for objects that the checkout needs and `borrowFrom` does not hold.
 */
export async function createCheckoutGit({
  checkout,
  format,
  borrowFrom,
  commit,
  index,
}: CheckoutGitOptions): Promise<GitStore> {
  const dir = join(checkout, '.git');
  await Promise.all(
    [join('objects', 'info'), join('refs', 'heads')].map((each) =>
      mkdir(join(dir, each), { recursive: true }),
    ),
  );
  const extension = format === 'sha256' ? '[extensions]\n\tobjectFormat = sha256\n' : '';
  await Promise.all([
    writeFile(join(dir, 'HEAD'), `${commit}\n`),
    writeFile(
      join(dir, 'config'),
      `[core]\n\trepositoryFormatVersion = ${extension ? 1 : 0}\n\tbare = false\n${extension}`,
    ),
    writeFile(join(dir, 'objects', 'info', 'alternates'), `${borrowFrom}\n`),
    copyFile(index, join(dir, 'index')),
    writeFile(join(dir, 'shallow'), `${commit}\n`),
  ]);
  return { dir, format };
}
