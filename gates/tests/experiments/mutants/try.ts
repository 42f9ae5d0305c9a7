import { readBlobs } from '../../../../workspace/git/blobs.ts';
import { editTree, writeBlob } from '../../../../workspace/git/edit.ts';
import { isRegular } from '../../../../workspace/git/list.ts';
import { withTestsOf } from '../../../code/cases/beside.ts';
import { parse } from '../../../code/parsing/parse.ts';
import { Unreadable } from '../../../code/parsing/unreadable.ts';
import { baseFiles } from '../../../core/base-files.ts';
import { grammarOf, isOwnCode, languageOf } from '../../../core/language.ts';
import type { Subject } from '../../../core/subject.ts';
import { isTestPath } from '../../../core/test-paths.ts';
import type { Execution } from '../../running/execution.ts';
import type { Budget } from './budget.ts';
import { emptiedFunctions } from './emptied.ts';
import { firstOf, type Mutant, mutantsOf, mutated } from './mutate.ts';
import { type PlacedMutant, picked } from './pick.ts';

/** A source file whose code may be changed. */
export interface MutableFile {
  readonly path: string;
  readonly mode: string;
  readonly source: string;
  readonly mutants: readonly Mutant[];
  /** Functions that have such a line. */
  readonly emptied: number;
}

/** Whether a line, 1-based, may be changed. */
export type MayChange = (path: string, line: number) => boolean;

/** Longest file, in lines, that is looked at. */
const MAX_LINES = 50_000;

/** The mutants of these files of a tree; tests, and what cannot be read, have none. */
export async function mutableFiles(
  { store }: Pick<Subject, 'store'>,
  files: readonly { readonly path: string; readonly id: string; readonly mode: string }[],
  mayChange: MayChange,
): Promise<MutableFile[]> {
  const wanted = files.filter((file) => isRegular(file) && isOwnCode(file.path) && !isTestPath(file.path));
  const blobs = await readBlobs(
    store,
    wanted.map(({ id }) => id),
  );
  const found: MutableFile[] = [];
  for (const { path, id, mode } of wanted) {
    const grammar = grammarOf(path);
    const source = blobs.get(id)?.toString('utf8');
    if (grammar === null || source === undefined) continue;
    const count = Math.min(source.split('\n').length, MAX_LINES);
    const lines = new Set(
      Array.from({ length: count }, (_, at) => at + 1).filter((line) => mayChange(path, line)),
    );
    if (lines.size === 0) continue;
    try {
      const { root } = await parse(grammar, source);
      const language = languageOf(grammar);
      found.push({
        path,
        mode,
        source,
        mutants: mutantsOf(root, language, lines),
        emptied: emptiedFunctions(root, language).filter(({ from, to }) => firstOf(lines, from, to) !== null)
          .length,
      });
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
    }
  }
  return found;
}

/** Whether the patch writes to what a function of the code does, and not to values and names alone. */
export async function changedFunctions(subject: Subject, mayChange: MayChange): Promise<boolean> {
  const changed = subject.changes.flatMap(({ path, head }) =>
    head ? [{ path, id: head.id, mode: head.mode }] : [],
  );
  return (await mutableFiles(subject, changed, mayChange)).some(({ emptied }) => emptied > 0);
}

export interface TryOptions {
  readonly store: Subject['store'];
  readonly files: readonly MutableFile[];
  /** Most mutants that are tried. */
  readonly most: number;
  /** None is tried when it is spent; whoever runs something on a mutant takes that from it. */
  readonly budget: Budget;
}

/** A mutant, ready to be put into a tree. */
export interface ReadyMutant extends PlacedMutant {
  /** A tree with the mutant in it. */
  in(tree: string): Promise<string>;
}

/** Gives some of the mutants of some files, one after the other, as long as there is something left to spend. */
export async function* eachMutant({ store, files, most, budget }: TryOptions): AsyncGenerator<ReadyMutant> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const all = files.flatMap(({ path, mutants }) => mutants.map((each): PlacedMutant => ({ ...each, path })));
  for (const mutant of picked(all, most)) {
    if (budget.isSpent) return;
    const file = byPath.get(mutant.path);
    if (!file) continue;
    const text = mutated(file.source, mutant);
    yield {
      ...mutant,
      in: async (tree) => {
        const there = await testsBesideIn(store, tree, mutant.path);
        const id = writeBlob(store, (there && (await withTestsOf(text, there))) ?? text);
        return editTree(store, tree, [{ path: mutant.path, to: { id, mode: file.mode } }]);
      },
    };
  }
}

/** The text of a file of Rust in a tree: its tests beside the code may be others there. */
const testsBesideIn = async (store: Subject['store'], tree: string, path: string): Promise<string | null> =>
  path.endsWith('.rs') ? baseFiles(store, tree)(path) : null;

/** Time for a mutant, in milliseconds: what never ends must not take all that the gate has. */
export const limitFor = ({ ran }: Pick<Execution, 'ran'>): number => 5_000 + 4 * ran.durationMs;

/** What tests say of a mutant; null: they could not run. What does not even build, or never ends, was noticed. */
export const noticed = ({ outcome }: Pick<Execution, 'outcome'>): boolean | null =>
  outcome === 'passed' ? false : outcome === 'failed' || outcome === 'timed_out' ? true : null;
