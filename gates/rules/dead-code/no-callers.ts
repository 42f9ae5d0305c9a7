import { readBlobs } from '../../../workspace/git/blobs.ts';
import type { Store } from '../../../workspace/git/store.ts';
import type { CodeSide } from '../../code/project.ts';
import { folderOf } from '../../code/resolve/resolver.ts';
import type { CodeFile } from '../../code/tree-files.ts';
import { languageOf } from '../../core/language.ts';
import type { Seen } from '../../core/seen.ts';
import type { PrivateName } from './private-names.ts';

/** A private name that nothing in its own file refers to. */
export interface Candidate {
  readonly file: CodeFile;
  readonly name: PrivateName;
}

/** Those that nothing in another file refers to either. `known`: names that a changed file had before, and may have moved. */
export async function noCallers(
  store: Store,
  side: CodeSide,
  candidates: readonly Candidate[],
  known: ReadonlySet<string>,
): Promise<Seen[]> {
  const fresh = candidates.filter(({ name }) => !known.has(name.name));
  const elsewhere = await mentionedElsewhere(store, side, fresh);
  return fresh
    .filter((candidate) => !elsewhere.has(candidate))
    .map(({ file, name }) => ({
      file: file.path,
      line: name.line,
      rule: 'no_callers',
      message: `${name.name} is new and private, and nothing refers to it`,
      weight: name.isHook ? 'reported' : 'fails',
    }));
}

/** Those whose name stands in another file that could call them, in whatever way. */
async function mentionedElsewhere(
  store: Store,
  side: CodeSide,
  candidates: readonly Candidate[],
): Promise<Set<Candidate>> {
  const found = new Set<Candidate>();
  const open = candidates.filter(({ name }) => name.reach !== 'file');
  const wanted = new Set(open.map(({ name }) => name.name));
  if (wanted.size === 0) return found;
  const files = [...side.files.code.values()].filter((file) => open.some((each) => canSee(file, each)));
  for (let at = 0; at < files.length; at += 200) {
    const batch = files.slice(at, at + 200);
    const texts = await readBlobs(
      store,
      batch.filter(({ bytes }) => bytes < MAX_BYTES).map(({ id }) => id),
      200 * MAX_BYTES,
    );
    for (const file of batch) {
      const words = new Set(
        texts
          .get(file.id)
          ?.toString('utf8')
          .match(/[\p{L}_][\p{L}\p{N}_]*/gu),
      );
      for (const each of open) if (words.has(each.name.name) && canSee(file, each)) found.add(each);
    }
  }
  return found;
}

/** Larger files are not code that anybody wrote. */
const MAX_BYTES = 1_048_576;

const canSee = (file: CodeFile, { file: home, name }: Candidate): boolean =>
  file.path !== home.path &&
  languageOf(file.grammar) === languageOf(home.grammar) &&
  (name.reach === 'tree' || folderOf(file.path) === folderOf(home.path));
