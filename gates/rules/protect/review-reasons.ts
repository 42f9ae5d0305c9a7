import type { GitStore } from '../../../workspace/git/git-store.ts';
import { type IgnoreFiles, listIgnoredPaths } from '../../../workspace/git/ignored-paths.ts';
import { isRegularFile, listFiles } from '../../../workspace/git/list-files.ts';
import { toDisplayPath } from '../../../workspace/git/path-encoding.ts';
import { readBlobs } from '../../../workspace/git/read-blobs.ts';
import { listChangedSettings } from './changed-settings.ts';
import { type ChangedCiFile, findCiReviewReasons } from './ci-changes.ts';
import type { ChangedPathEntries } from './protection-lookup.ts';
import type { ProtectionPolicy } from './protection-policy.ts';
import type { FileProtection } from './protection-rule.ts';
import { findMention, findReaderWords } from './tool-users.ts';

/** A protected file of which commands get the base's version, or parts of it. */
export type RestoredFile = ChangedPathEntries & FileProtection;

/** Largest file, in bytes, that is compared. */
const MAX_FILE_BYTES = 1_048_576;
/** Most paths for which ignore rules are compared. */
const MAX_PATHS = 200_000;

/**
 * Tells for each restored file why its change needs a review; null: it needs none, because no check executes the file and the change
 * gives its author no power over evidence. The checks ran with the base's version either way.
 */
export async function findReviewReasons(
  store: GitStore,
  trees: { readonly base: string; readonly patched: string },
  files: readonly RestoredFile[],
  policy: ProtectionPolicy,
): Promise<ReadonlyMap<string, string | null>> {
  if (files.length === 0) return new Map();
  const lines = await policy.listCommandLines();
  const texts = await readTexts(store, files);
  const ci = findCiReviewReasons(
    files.flatMap((file): ChangedCiFile[] =>
      file.kind === 'ci'
        ? [{ path: file.path, base: texts.get(file.base?.id), head: texts.get(file.head?.id) }]
        : [],
    ),
  );
  const ignores = files.some(isIgnoreFile) ? await findIgnoreReason(store, trees) : null;
  const reasonFor = (file: RestoredFile): string | null => {
    if (policy.reviewKinds.some((kind) => kind === file.kind)) return `protected.review: ${file.kind}`;
    if (lines === null || !isComparable(file, texts)) return file.reason;
    if (findMention(lines, [toDisplayPath(file.path)]) !== null) return `${file.reason}; a check names it`;
    if (isIgnoreFile(file)) return ignores;
    if (file.kind === 'ci') return ci.get(file.path) ?? mentionReason(lines, file);
    if (file.restoreScope === 'whole') return mentionReason(lines, file);
    return settingsReason(file, texts, lines);
  };
  return new Map(files.map((file) => [file.path, reasonFor(file)]));
}

/** Texts by blob id; an entry that is not there has none. */
interface Texts {
  get(id: string | undefined): string | null;
}

async function readTexts(store: GitStore, files: readonly RestoredFile[]): Promise<Texts> {
  const ids = files.flatMap(({ base, head }) =>
    [base, head].flatMap((entry) => (entry !== null && isRegularFile(entry) ? [entry.id] : [])),
  );
  const blobs = await readBlobs(store, [...new Set(ids)]).catch(() => new Map<string, Buffer>());
  return {
    get(id) {
      const blob = id === undefined ? undefined : blobs.get(id);
      return blob === undefined || blob.length > MAX_FILE_BYTES ? null : blob.toString('utf8');
    },
  };
}

/** Links, submodules and what is too large cannot be compared. */
const isComparable = ({ base, head }: RestoredFile, texts: Texts): boolean =>
  [base, head].every((entry) => entry === null || (isRegularFile(entry) && texts.get(entry.id) !== null)) &&
  (base === null || head === null || base.mode === head.mode);

/** Whether a command runs a tool that reads the file. */
function mentionReason(lines: readonly string[], { path, kind, reason }: RestoredFile): string | null {
  const words = findReaderWords(path, kind);
  if (words === null) return kind === 'ci' ? null : reason;
  const line = findMention(lines, words);
  return line === null ? null : `${reason}; read by "${line.slice(0, 80)}"`;
}

function settingsReason(file: RestoredFile, texts: Texts, lines: readonly string[]): string | null {
  const changed = listChangedSettings(file, texts.get(file.base?.id), texts.get(file.head?.id), lines);
  if (changed === null) return file.reason;
  const used = changed.filter(({ words }) => words === null || findMention(lines, words) !== null);
  return used.length === 0
    ? null
    : `${file.reason}: ${used
        .slice(0, 5)
        .map(({ name }) => name)
        .join(', ')}`;
}

const isIgnoreFile = ({ path }: RestoredFile): boolean => /(?:^|\/)\.(?:git)?ignore$/.test(path);

/** Ignore rules matter to checks where they say something else of a file that is there. */
async function findIgnoreReason(
  store: GitStore,
  { base, patched }: { readonly base: string; readonly patched: string },
): Promise<string | null> {
  const [before, after] = await Promise.all([listFiles(store, base), listFiles(store, patched)]);
  const paths = [...new Set([...before, ...after].map(({ path }) => path))];
  if (paths.length > MAX_PATHS) return 'ignore rules, of which too many files could be meant';
  for (const name of ['.gitignore', '.ignore']) {
    const rules = async (files: typeof before): Promise<IgnoreFiles> => {
      const own = files.filter((file) => file.path.split('/').at(-1) === name && isRegularFile(file));
      const blobs = await readBlobs(
        store,
        own.map(({ id }) => id),
      );
      // Files that only other tools read are shown to git under the name that it reads.
      return new Map(
        own.map(({ path, id }) => [
          path.replace(/\.ignore$/, '.gitignore'),
          blobs.get(id) ?? Buffer.alloc(0),
        ]),
      );
    };
    const [then, now] = await Promise.all(
      [before, after].map(async (files) => listIgnoredPaths(store, await rules(files), paths)),
    );
    if (!then || !now) return 'ignore rules, which could not be compared';
    const changed = [...now].find((path) => !then.has(path)) ?? [...then].find((path) => !now.has(path));
    if (changed !== undefined) return `ignore rules, which say something else of ${toDisplayPath(changed)}`;
  }
  return null;
}
