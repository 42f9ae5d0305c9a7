import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type LevelState, readManifest } from './level-manifest.ts';

/**
 * Looks at the files of the tables before they are opened. LevelDB takes a folder without CURRENT for a new one, forgets what the end of a
 * manifest said, and finds a short table file only when it reads from it: what it deletes then is gone. A cut log file is not looked for
 * here; what it held is brought back from the journal.
 */

const CURRENT = 'CURRENT';
const numberOf = (name: string): number => Number.parseInt(name, 10);

/** What no kill does to the files of a database, with file and offset; null when they are whole. Nothing is changed. */
export function damageOf(directory: string): string | null {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  const current = join(directory, CURRENT);
  if (!names.includes(CURRENT)) {
    const holdsData = names.some((name) => /\.(ldb|log)$/.test(name) || /^MANIFEST-0*([2-9]|1\d)/.test(name));
    return holdsData ? `${current} is missing` : null;
  }
  const text = readFileSync(current, 'latin1');
  const [, manifest] = /^(MANIFEST-\d+)\n$/.exec(text) ?? [];
  if (manifest === undefined) return `${current} ends at byte ${text.length}, in the middle of a name`;
  if (!names.includes(manifest)) return `${join(directory, manifest)} is missing`;
  return missingFrom(directory, names, manifest);
}

function missingFrom(directory: string, names: readonly string[], manifest: string): string | null {
  const path = join(directory, manifest);
  const state = readManifest(readFileSync(path));
  const ends = `${path} ends at byte ${state.length}, and is not whole`;
  if (state.log === null) return ends;
  const [lost] = shortFiles(directory, names, state);
  if (lost !== undefined) return lost.isThere || !state.isTorn ? lost.what : ends;
  // It is there before the manifest names it, and goes after the next one has been named.
  const log = names.some((name) => name.endsWith('.log') && numberOf(name) === state.log);
  return log ? null : ends;
}

/** Table files that are missing, or not as long as they were when they were finished. */
function shortFiles(directory: string, names: readonly string[], { tables }: LevelState) {
  return [...tables].flatMap(([number, bytes]) => {
    const name = names.find((each) => /\.(ldb|sst)$/.test(each) && numberOf(each) === number);
    if (name === undefined)
      return [{ isThere: false, what: `the table file ${number} in ${directory} is missing` }];
    const { size } = statSync(join(directory, name));
    if (size === bytes) return [];
    return [{ isThere: true, what: `${join(directory, name)} ends at byte ${size} of ${bytes}` }];
  });
}
