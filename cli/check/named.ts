import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError, EXIT } from '../exit.ts';

/** Reads a file that was named on the command line. */
export async function readNamed(cwd: string, file: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? String(error)})`;
    throw new CliError(EXIT.usage, 'unreadable_file', `${file} ${why}.`);
  }
}

/** Writes a file that was named on the command line. */
export async function writeNamed(cwd: string, file: string, text: string): Promise<void> {
  await writeFile(resolve(cwd, file), text).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(EXIT.usage, 'unwritable_file', `${file} cannot be written (${error.code}).`);
  });
}
