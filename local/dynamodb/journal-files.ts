import { readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../properties.ts';
import type { Line } from './journal-lines.ts';

const KINDS = new Set<unknown>(['header', 'intent', 'end', 'position']);
const EXTENSION = '.jsonl';

/** The files of a journal, the oldest first. */
export const journalFiles = (directory: string): readonly string[] =>
  readdirSync(directory)
    .filter((entry) => entry.endsWith(EXTENSION))
    .sort()
    .map((entry) => join(directory, entry));

export const journalFile = (directory: string, serial: number): string =>
  join(directory, `${String(serial).padStart(9, '0')}${EXTENSION}`);
export const serialOf = (path: string): number => Number.parseInt(path.slice(-9 - EXTENSION.length), 10);

/**
 * The lines of a file. A last line that a kill has torn is cut off with a notice, in the newest file: nobody was told that it is there,
 * and what it would have said is found out again. @throws for any other damage, with file and line.
 */
export function readLines(
  path: string,
  isNewest: boolean,
  notice: (message: string) => void,
): readonly Line[] {
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf('\n') + 1;
  const lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1);
  const parsed = lines.map((text, index) => parseLine(text) ?? damaged(path, index + 1));
  if (end === bytes.length) return parsed;
  if (!isNewest) damaged(path, lines.length + 1);
  truncateSync(path, end);
  notice(
    `${path}: line ${lines.length + 1} was torn when the stack was killed, and is cut off; nothing is lost`,
  );
  return parsed;
}

function parseLine(text: string): Line | null {
  try {
    const line: unknown = JSON.parse(text);
    return isRecord(line) && KINDS.has(line['kind']) ? (line as Line) : null;
  } catch {
    return null;
  }
}

function damaged(path: string, line: number): never {
  throw new Error(
    `${path}: line ${line} is damaged. Nothing was changed. Bring the file back from a copy; or remove that line to go on without it: ` +
      'the tables are whole, and what was to follow from that one change is found by the reconciler within minutes.',
  );
}
