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
import { applyMutant, firstAllowedLine, generateMutants, type Mutant } from './mutants.ts';
import { type PlacedMutant, sampleMutants } from './sample-mutants.ts';
import { findStubbableFunctions } from './stubbable-functions.ts';

/** A source file whose code may be changed. */
export interface MutableFile {
  readonly path: string;
  readonly mode: string;
  readonly source: string;
  readonly mutants: readonly Mutant[];
  /** Functions that have such a line. */
  readonly functionCount: number;
}

/** Whether a line, 1-based, may be changed. */
export type IsMutableLine = (path: string, line: number) => boolean;

/** Longest file, in lines, that is looked at. */
const MAX_LINES = 50_000;

/** The mutants of these files of a tree; tests, and what cannot be read, have none. */
export async function readMutableFiles(
  { store }: Pick<PatchSubject, 'store'>,
  files: readonly { readonly path: string; readonly id: string; readonly mode: string }[],
  mayChange: IsMutableLine,
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
        mutants: generateMutants(root, language, lines),
        functionCount: findStubbableFunctions(root, language).filter(
          ({ firstLine, lastLine }) => firstAllowedLine(lines, firstLine, lastLine) !== null,
        ).length,
      });
    } catch (error) {
      if (!(error instanceof UnreadableCodeError)) throw error;
    }
  }
  return found;
}

/** Whether the patch writes to what a function of the code does, and not to values and names alone. */
export async function changesFunctions(subject: PatchSubject, mayChange: IsMutableLine): Promise<boolean> {
  const changed = subject.changes.flatMap(({ path, headEntry }) =>
    headEntry ? [{ path, id: headEntry.id, mode: headEntry.mode }] : [],
  );
  return (await readMutableFiles(subject, changed, mayChange)).some(({ functionCount }) => functionCount > 0);
}

export interface ReadyMutantOptions {
  readonly store: PatchSubject['store'];
  readonly files: readonly MutableFile[];
  /** Most mutants that are tried. */
  readonly most: number;
}

/** A mutant, ready to be put into a tree. */
export interface ReadyMutant extends PlacedMutant {
  /** A tree with the mutant in it. */
  applyTo(tree: string): Promise<string>;
}

/** Prepares a sample of the mutants of some files. */
export function readyMutants({ store, files, most }: ReadyMutantOptions): ReadyMutant[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const all = files.flatMap(({ path, mutants }) => mutants.map((each): PlacedMutant => ({ ...each, path })));
  return sampleMutants(all, most).flatMap((mutant): ReadyMutant[] => {
    const file = byPath.get(mutant.path);
    if (!file) return [];
    const text = applyMutant(file.source, mutant);
    const applyTo = async (tree: string): Promise<string> => {
      const there = await readInlineTestsHost(store, tree, mutant.path);
      const id = writeBlob(store, (there && (await replaceInlineTests(text, there))) ?? text);
      return editTree(store, tree, [{ path: mutant.path, entry: { id, mode: file.mode } }]);
    };
    return [{ ...mutant, applyTo }];
  });
}

/** The text of a file of Rust in a tree: its tests beside the code may be others there. */
const readInlineTestsHost = async (
  store: PatchSubject['store'],
  tree: string,
  path: string,
): Promise<string | null> => (path.endsWith('.rs') ? createBaseFileReader(store, tree)(path) : null);

/** Time for a mutant, in milliseconds: what never ends must not take all that the gate has. */
export const mutantTimeLimitMs = ({ processResult }: Pick<CommandRun, 'processResult'>): number =>
  5_000 + 4 * processResult.durationMs;

/** What tests say of a mutant; null: they could not run. What does not even build, or never ends, was noticed. */
export const isKilled = ({ outcome }: Pick<CommandRun, 'outcome'>): boolean | null =>
  outcome === 'passed' ? false : outcome === 'failed' || outcome === 'timed_out' ? true : null;
