import { isTestPath } from '../../../shared/contract/evidence/test-path.ts';
import type { ReviewPiece } from '../../../shared/reviews/engine/review-piece.ts';
import { type GitStore, runGitInStore } from '../../../workspace/git/git-store.ts';
import { isRegularFile, type ListedFile, listFiles } from '../../../workspace/git/list-files.ts';
import { readBlobs } from '../../../workspace/git/read-blobs.ts';
import { grammarOfPath } from '../../core/language.ts';

/** Most characters of all files, of one of them, and most files. */
const MAX_CHARS = 70_000;
const MAX_FILE_CHARS = 16_000;
const MAX_FILE_BYTES = 262_144;
const MAX_FILES = 40;
/** Most files beside those, and most bytes of all files, that are read to look for public interfaces. */
const MAX_OTHER_FILES = 200;
const MAX_READ_BYTES = 16 * 1_048_576;
/** Most names of the task that are looked up, and most paths in the list of files. */
const MAX_NAMES = 30;
const MAX_LISTED = 400;

/** Files that say how tests are run. */
const SETTINGS =
  /^(?:package\.json|pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|go\.mod|Cargo\.toml|assay\.yaml)$/;
/** A line that is part of a public interface. */
const SIGNATURE =
  /^\s*(?:export\b|(?:pub(?:\([^)]*\))?\s+)(?:fn|struct|enum|trait|type|const|mod)\b|(?:async\s+)?def\s|class\s|func\s|type\s+[A-Z]|module\.exports|exports\.)/;
/** Words that a task writes as code: between backticks, with a dot, an underscore, parentheses or inner capitals. */
const NAME =
  /`([^`\n]{2,80})`|\b([A-Za-z_][\w]*(?:[._][A-Za-z_]\w*)+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Za-z_]\w+(?=\())/g;

/** Returns the identifiers that a task writes as code. */
export function findNamesInTask(task: string): string[] {
  const names = [...task.matchAll(NAME)].flatMap(([, quoted, bare]) =>
    (quoted ?? bare ?? '').split(/[^\w$]+/).filter((part) => /^[A-Za-z_$][\w$]{2,}$/.test(part)),
  );
  return [...new Set(names)].slice(0, MAX_NAMES);
}

const stemOf = (path: string): string =>
  (path.split('/').at(-1) ?? '')
    .replace(/\.[^.]+$/, '')
    .replace(/^test_|[._-](?:test|spec)$|_test$/g, '')
    .toLowerCase();

async function countNames(
  store: GitStore,
  base: string,
  names: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const name of names) {
    const args = ['grep', '-z', '-l', '-I', '-w', '-F', '--full-name', '-e', name, base];
    const { stdout } = await runGitInStore(store, args, { maxOutputBytes: 1_048_576, timeoutMs: 10_000 });
    const paths = stdout
      .toString('utf8')
      .split('\0')
      .filter((each) => each !== '')
      .map((each) => each.slice(base.length + 1));
    // A name that is everywhere says nothing about where the task is.
    for (const path of paths.length > 60 ? [] : paths)
      counts.set(path, (counts.get(path) ?? 0) + 1 / Math.sqrt(paths.length));
  }
  return counts;
}

/**
 * Selects what an examiner sees of the base: files that the task names or whose code has its names, their tests, how tests
 * are run, and the public interfaces of other files. Nothing of a patch is read.
 */
export async function selectBaseFiles(
  store: GitStore,
  base: string,
  task: { readonly text: string; readonly files: readonly string[] },
): Promise<ReviewPiece[]> {
  const listed = (await listFiles(store, base)).filter(isRegularFile);
  const counts = await countNames(store, base, findNamesInTask(task.text));
  const words = new Set(task.text.split(/[^\w.-]+/).map((word) => word.replace(/(?<!\.)\.+$/, '')));
  const isNamed = ({ path }: Pick<ListedFile, 'path'>): boolean =>
    task.files.some((each) => path === each || path.startsWith(`${each.replace(/\/$/, '')}/`)) ||
    task.text.includes(path) ||
    (path.includes('.') && words.has(path.split('/').at(-1) ?? ''));
  const scored = listed
    .filter(
      ({ path, size }) =>
        (size ?? 0) <= MAX_FILE_BYTES && (grammarOfPath(path) !== null || isNamed({ path })),
    )
    .map((file) => ({ file, score: (isNamed(file) ? 10 : 0) + (counts.get(file.path) ?? 0) }));
  const subjects = new Set(
    scored
      .filter(({ file, score }) => score >= 0.4 && !isTestPath(file.path))
      .map(({ file }) => stemOf(file.path)),
  );
  const ranked = scored
    .map(({ file, score }) => ({
      file,
      score: score + (isTestPath(file.path) && subjects.has(stemOf(file.path)) ? 5 : 0),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.file.path.localeCompare(b.file.path));
  const settings = listed.filter(({ path }) => SETTINGS.test(path));
  // Without a test to look at, nobody knows how this repository writes them.
  const anyTest = ranked.some(({ file }) => isTestPath(file.path))
    ? []
    : listed.filter(({ path }) => isTestPath(path) && grammarOfPath(path) !== null).slice(0, 1);
  const whole = [...settings, ...anyTest, ...ranked.slice(0, MAX_FILES).map(({ file }) => file)];
  const others = listed.filter(
    (file) =>
      !whole.includes(file) &&
      grammarOfPath(file.path) !== null &&
      !isTestPath(file.path) &&
      (file.size ?? 0) <= MAX_FILE_BYTES,
  );
  let bytesLeft = MAX_READ_BYTES;
  const readable = [...whole, ...others.slice(0, MAX_OTHER_FILES)].filter(({ size }) => {
    const fits = (size ?? 0) <= bytesLeft;
    if (fits) bytesLeft -= size ?? 0;
    return fits;
  });
  const contents = await readBlobs(
    store,
    readable.map(({ id }) => id),
    MAX_READ_BYTES,
  );
  const textOf = ({ id }: ListedFile): string => contents.get(id)?.toString('utf8') ?? '';
  let room = MAX_CHARS;
  const omitted: string[] = [];
  const pieces: ReviewPiece[] = [];
  const add = (label: string, path: string, text: string): void => {
    const shown = text.slice(0, Math.min(MAX_FILE_CHARS, room));
    if (shown.length < text.length) omitted.push(`${path}: ${text.length - shown.length} characters`);
    if (shown.length === 0) return;
    room -= shown.length;
    pieces.push({ kind: 'base', label, text: shown });
  };
  const paths = listed.map(({ path }) => path);
  add(
    'files of the base',
    'list of files',
    [
      ...paths.slice(0, MAX_LISTED),
      ...(paths.length > MAX_LISTED ? [`and ${paths.length - MAX_LISTED} more`] : []),
    ].join('\n'),
  );
  for (const file of whole) add(`file ${file.path}`, file.path, textOf(file));
  const interfaces = others
    .map((file) => ({
      file,
      lines: textOf(file)
        .split('\n')
        .filter((line) => SIGNATURE.test(line)),
    }))
    .filter(({ lines }) => lines.length > 0)
    .map(({ file, lines }) => `${file.path}\n${lines.map((line) => `  ${line.trim()}`).join('\n')}`);
  if (interfaces.length > 0)
    add('public interfaces of other files', 'public interfaces', interfaces.join('\n'));
  if (omitted.length > 0)
    pieces.push({ kind: 'omitted', label: 'not shown, because there is no room', text: omitted.join('\n') });
  return pieces;
}
