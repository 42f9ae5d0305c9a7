import { basePath, type Change } from '../../../workspace/git/changes.ts';
import { isOwnCode } from '../../core/language.ts';
import { languageOfPath } from '../../languages/languages.ts';
import type { Chosen } from './choose.ts';

/** Most files that stand in one line, and most characters of their names. */
const MOST_FILES = 200;
const MOST_CHARACTERS = 60_000;
/** Names that a line can hold and a report gives back as they are. */
const PLAIN = /^[^\p{Cc}\p{Cs}\\�]+$/u;

/** Files that a tool is given instead of the whole project; as the patch calls them, and as the base does. */
export interface OnFiles {
  readonly patched: readonly string[];
  readonly base: readonly string[];
}

/**
 * The files that a tool need look at to tell what is on the lines that the patch writes; relative to its folder. Null: all of the
 * project, because the tool takes no files, there are none or too many, or one is of a kind that it may look at in its own way.
 */
export function filesFor(
  { tool, language, folder }: Pick<Chosen, 'tool' | 'language' | 'folder'>,
  changes: readonly Change[],
): OnFiles | null {
  const { onFiles } = tool;
  if (!onFiles) return null;
  const isHere = (path: string): boolean => folder === '' || path.startsWith(`${folder}/`);
  const here = changes.filter(({ path, head }) => head !== null && isHere(path));
  const isOther = ({ path }: Change): boolean =>
    languageOfPath(path) === language && !(onFiles.names.test(path) && isOwnCode(path));
  const wanted = here.filter(({ path }) => onFiles.names.test(path));
  if (wanted.length === 0 || here.some(isOther)) return null;
  const within = (path: string): string => (folder === '' ? path : path.slice(folder.length + 1));
  const patched = wanted.map(({ path }) => within(path));
  const before = wanted.flatMap((change) => basePath(change) ?? []);
  const names = [...patched, ...before];
  const isTooMuch = names.length > 2 * MOST_FILES || names.join(' ').length > MOST_CHARACTERS;
  return isTooMuch || !names.every((name) => PLAIN.test(name) && !name.startsWith('-'))
    ? null
    : { patched, base: before.filter(isHere).map(within) };
}

/** The tool with the line that it runs on these files; null or none: on the project. */
export function withFiles<T extends Chosen['tool']>(tool: T, files: readonly string[] | null): T {
  const { onFiles } = tool;
  if (!onFiles || files === null || files.length === 0) return tool;
  const quoted = files.map((file) => `'${file.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  return { ...tool, line: onFiles.line.replace('{files}', () => quoted) };
}
