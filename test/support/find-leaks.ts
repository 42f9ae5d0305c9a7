import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every process of this machine with its parent. */
function parents(): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      found.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended.
    }
  return found;
}

/** Environment and command line of each process that this one has started, or one of those has, as they are now. Linux only. */
export function readChildProcessTexts(pid: number): string[] {
  const all = parents();
  const isBelow = (each: number): boolean => {
    const parent = all.get(each);
    return parent !== undefined && (parent === pid || isBelow(parent));
  };
  return [...all.keys()].filter(isBelow).flatMap((each) => {
    try {
      return [['environ', 'cmdline'].map((of) => readFileSync(`/proc/${each}/${of}`, 'latin1')).join('\0')];
    } catch {
      return [];
    }
  });
}

/** Folders of boxes that have just ended are being removed meanwhile. */
function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
    });
  } catch {
    return [];
  }
}

const holds = (file: string, text: string): boolean => {
  try {
    return readFileSync(file).includes(text);
  } catch {
    return false;
  }
};

/** Files in these folders, and below, that hold the text. */
export const findFilesContaining = (text: string, folders: readonly string[]): string[] =>
  folders.flatMap(filesBelow).filter((file) => holds(file, text));
