import { type FileChange, getPathInBase } from '../../../workspace/git/file-changes.ts';
import { isProjectCodePath } from '../../core/language.ts';
import { languageOfPath } from '../../languages/languages.ts';
import type { PlannedToolRun } from './choose-tools.ts';

/** Most files that stand in one line, and most characters of their names. */
const MAX_LINE_FILES = 200;
const MAX_LINE_CHARACTERS = 60_000;
/** Names that a line can hold and a report gives back as they are. */
const PLAIN = /^[^\p{Cc}\p{Cs}\\�]+$/u;

/** Files that a tool is given instead of the whole project; as the patch calls them, and as the base does. */
export interface ToolInputFiles {
  readonly patchPaths: readonly string[];
  readonly basePaths: readonly string[];
}

/**
 * The files that a tool need look at to tell what is on the lines that the patch writes; relative to its folder. Null: all of the
 * project, because the tool takes no files, there are none or too many, or one is of a kind that it may look at in its own way.
 */
export function selectToolInputFiles(
  { tool, language, folder }: Pick<PlannedToolRun, 'tool' | 'language' | 'folder'>,
  changes: readonly FileChange[],
): ToolInputFiles | null {
  const { fileMode } = tool;
  if (!fileMode) return null;
  const isHere = (path: string): boolean => folder === '' || path.startsWith(`${folder}/`);
  const here = changes.filter(({ path, headEntry }) => headEntry !== null && isHere(path));
  const isOther = ({ path }: FileChange): boolean =>
    languageOfPath(path) === language && !(fileMode.names.test(path) && isProjectCodePath(path));
  const wanted = here.filter(({ path }) => fileMode.names.test(path));
  if (wanted.length === 0 || here.some(isOther)) return null;
  const within = (path: string): string => (folder === '' ? path : path.slice(folder.length + 1));
  const patched = wanted.map(({ path }) => within(path));
  const before = wanted.flatMap((change) => getPathInBase(change) ?? []);
  const names = [...patched, ...before];
  const isTooMuch = names.length > 2 * MAX_LINE_FILES || names.join(' ').length > MAX_LINE_CHARACTERS;
  return isTooMuch || !names.every((name) => PLAIN.test(name) && !name.startsWith('-'))
    ? null
    : { patchPaths: patched, basePaths: before.filter(isHere).map(within) };
}

/** The tool with the line that it runs on these files; null or none: on the project. */
export function restrictToolToFiles<T extends PlannedToolRun['tool']>(
  tool: T,
  files: readonly string[] | null,
): T {
  const { fileMode } = tool;
  if (!fileMode || files === null || files.length === 0) return tool;
  const quoted = files.map((file) => `'${file.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  return { ...tool, line: fileMode.line.replace('{files}', () => quoted) };
}
