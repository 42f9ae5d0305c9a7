import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes a file for untrusted code to read. The folder is ours alone, so nobody can have put a link or a pipe where it goes; that
 * nothing is there yet is checked all the same. Every file that we write where commands have run, or may run, is written by this.
 * @param dir made when it is not there.
 * @throws when something has that name.
 */
export async function writeNewFile(dir: string, name: string, content: Buffer | string): Promise<string> {
  await mkdir(dir, { mode: 0o755, recursive: true });
  const path = join(dir, name);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(path, flags, 0o644);
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
  return path;
}
