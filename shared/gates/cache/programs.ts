import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { allScriptsOf } from '../scripts.ts';

/** The programs that a command line names, also through the scripts of package.json, each with what tells it from another version. */
export async function programsIn(line: string, packageJson: string | null): Promise<string[]> {
  const words = allScriptsOf(line, packageJson);
  const identities = await Promise.all([...new Set(words)].sort().map(identityOf));
  return identities.filter((identity) => identity !== null);
}

async function identityOf(word: string): Promise<string | null> {
  if (word.includes('/')) return null;
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    try {
      await access(join(folder, word), constants.X_OK);
      const file = await realpath(join(folder, word));
      const { size, mtimeMs } = await stat(file);
      return `${file} ${size} ${mtimeMs}`;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}
