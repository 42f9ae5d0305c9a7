import { editTree, writeBlob } from '../../../../workspace/git/edit-tree.ts';
import { isRegularFile } from '../../../../workspace/git/list-files.ts';
import { readBlobs } from '../../../../workspace/git/read-blobs.ts';
import { replaceInlineTests } from '../../../code/cases/rust-inline-tests.ts';
import { parseSource } from '../../../code/parsing/parse-source.ts';
import { UnreadableCodeError } from '../../../code/parsing/unreadable-code-error.ts';
import { createBaseFileReader } from '../../../core/base-file-reader.ts';
import { grammarOfPath, isProjectCode, languageOfGrammar } from '../../../core/language.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import { isTestPath } from '../../../core/test-paths.ts';
import type { CommandRun } from '../../running/command-run.ts';
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
  { store }: Pick<PatchSubject, 'store'>,
  files: readonly { readonly path: string; readonly id: string; readonly mode: string }[],
  mayChange: MayChange,
): Promise<MutableFile[]> {
  const wanted = files.filter(
    (file) => isRegularFile(file) && isProjectCode(file.path) && !isTestPath(file.path),
  );
  const blobs = await readBlobs(
    store,
    wanted.map(({ id }) => id),
  );
  const found: MutableFile[] = [];
  for (const { path, id, mode } of wanted) {
    const grammar = grammarOfPath(path);
    const source = blobs.get(id)?.toString('utf8');
    if (grammar === null || source === undefined) continue;
    const count = Math.min(source.split('\n').length, MAX_LINES);
    const lines = new Set(
      Array.from({ length: count }, (_, at) => at + 1).filter((line) => mayChange(path, line)),
    );
    if (lines.size === 0) continue;
    try {
      const { root } = await parseSource(grammar, source);
      const language = languageOfGrammar(grammar);
      found.push({
        path,
        mode,
        source,
        mutants: mutantsOf(root, language, lines),
        emptied: emptiedFunctions(root, language).filter(({ from, to }) => firstOf(lines, from, to) !== null)
          .length,
      });
    } catch (error) {
      if (!(error instanceof UnreadableCodeError)) throw error;
    }
  }
  return found;
}

/** Whether the patch writes to what a function of the code does, and not to values and names alone. */
export async function changedFunctions(subject: PatchSubject, mayChange: MayChange): Promise<boolean> {
  const changed = subject.changes.flatMap(({ path, headEntry }) =>
    headEntry ? [{ path, id: headEntry.id, mode: headEntry.mode }] : [],
  );
  return (await mutableFiles(subject, changed, mayChange)).some(({ emptied }) => emptied > 0);
}

export interface TryOptions {
  readonly store: PatchSubject['store'];
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
        const id = writeBlob(store, (there && (await replaceInlineTests(text, there))) ?? text);
        return editTree(store, tree, [{ path: mutant.path, entry: { id, mode: file.mode } }]);
      },
    };
  }
}

/** The text of a file of Rust in a tree: its tests beside the code may be others there. */
const testsBesideIn = async (
  store: PatchSubject['store'],
  tree: string,
  path: string,
): Promise<string | null> => (path.endsWith('.rs') ? createBaseFileReader(store, tree)(path) : null);

/** Time for a mutant, in milliseconds: what never ends must not take all that the gate has. */
export const limitFor = ({ processResult }: Pick<CommandRun, 'processResult'>): number =>
  5_000 + 4 * processResult.durationMs;

/** What tests say of a mutant; null: they could not run. What does not even build, or never ends, was noticed. */
export const noticed = ({ outcome }: Pick<CommandRun, 'outcome'>): boolean | null =>
  outcome === 'passed' ? false : outcome === 'failed' || outcome === 'timed_out' ? true : null;
