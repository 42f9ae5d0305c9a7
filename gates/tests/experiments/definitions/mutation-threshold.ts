import { isTestPath } from '../../../../shared/contract/evidence/test-path.ts';
import { isRegularFile } from '../../../../workspace/git/list-files.ts';
import { readBlobs } from '../../../../workspace/git/read-blobs.ts';
import { parseSource } from '../../../code/parsing/parse-source.ts';
import { UnreadableCodeError } from '../../../code/parsing/unreadable-code-error.ts';
import type { GateFinding } from '../../../core/gate-finding.ts';
import { type Grammar, grammarOfPath } from '../../../core/language.ts';
import type { PatchToCheck } from '../../../core/patch-to-check.ts';
import { type DiffHunk, readDiffHunks } from '../../running/added-lines.ts';
import {
  createExperimentFinding,
  EMPTY_EXPERIMENT_RESULT,
  type ExperimentInput,
  type ExperimentResult,
  type TestExperiment,
} from '../engine/experiment.ts';
import { runUntilBudgetIsSpent } from '../engine/test-runners.ts';
import {
  computeMutantTimeLimitMs,
  type FileMutant,
  type IsMutableLine,
  isMutableOperator,
  isMutantKilled,
  prepareTreeMutants,
  readMutableSourceFiles,
} from '../perturbations/mutants.ts';
import { createReachingTestsLookup, writeTreeWithOnlyTests } from '../trees/changed-tests.ts';
import { findUnexecutedCode } from './unexecuted-code.ts';

/** Fewest survivors that tell anything. */
const MIN_SURVIVORS = 2;
/** Fewest mutants of which a share tells anything; of fewer, all have to survive. */
const MIN_MUTANTS_FOR_SHARE = 6;

/** Whether too many mutants survive: more than a share of them, or all where they are few. */
export const hasTooManySurvivingMutants = (tried: number, survived: number, share: number): boolean =>
  survived >= MIN_SURVIVORS &&
  (tried < MIN_MUTANTS_FOR_SHARE ? survived === tried : survived / tried > share);

/** Returns what `hasTooManySurvivingMutants` will say whatever becomes of the mutants that are left; null: that depends on them. */
export function decideMutantThresholdEarly(
  tried: number,
  survived: number,
  left: number,
  share: number,
): boolean | null {
  if (left > 0 && tried + left < MIN_MUTANTS_FOR_SHARE) return null;
  const least = hasTooManySurvivingMutants(tried + left, survived, share);
  return least === hasTooManySurvivingMutants(tried + left, survived + left, share) ? least : null;
}

/** Tries mutants of the lines that the patch adds: tests that the patch brings and that notice few of them check little. */
export const mutationThresholdExperiment: TestExperiment = {
  id: 'mutation_threshold',
  evidence: 'optional',
  tree: 'patch',
  tests: 'reaching',
  perturbation: 'mutants',
  needs: ['mutants'],
  when: 'undecided',
  applies: () => true,
  run: tryMutants,
};

async function tryMutants(context: ExperimentInput): Promise<ExperimentResult> {
  const { subject, run, runTests, settings } = context;
  const { atMost = 0, maxSurvivorRatio = 1 } = settings?.mutants ?? {};
  const reaching = await createReachingTestsLookup(subject);
  if (reaching === null) return EMPTY_EXPERIMENT_RESULT;
  const changed = subject.changes.flatMap(({ path, headEntry }) =>
    headEntry && reaching(path).length > 0 ? [{ path, id: headEntry.id, mode: headEntry.mode }] : [],
  );
  const files = await readMutableSourceFiles(subject, changed, await readLinesChangingBehaviour(subject));
  const trees = new Map<string, Promise<string>>();
  const treeFor = (path: string): Promise<string> => {
    const tree = trees.get(path) ?? writeTreeWithOnlyTests(subject, subject.tree, reaching(path));
    trees.set(path, tree);
    return tree;
  };
  const survived: FileMutant[] = [];
  let tried = 0;
  let decision: boolean | null = null;
  const mutants = prepareTreeMutants({ store: subject.store, files, most: atMost });
  await runUntilBudgetIsSpent(async () => {
    for (const [index, mutant] of mutants.entries()) {
      const tree = await mutant.applyTo(await treeFor(mutant.path));
      const limitMs = computeMutantTimeLimitMs(run);
      const killed = isMutantKilled(await runTests(tree, { limitMs, stopsAtFirstFailure: true }));
      if (killed !== null) tried++;
      if (killed === false) survived.push(mutant);
      decision = decideMutantThresholdEarly(
        tried,
        survived.length,
        mutants.length - index - 1,
        maxSurvivorRatio,
      );
      if (decision !== null) break;
    }
  });
  const isUnnoticed = tried > 0 && survived.length === tried;
  const unexecuted: GateFinding[] = [];
  if (isUnnoticed)
    await runUntilBudgetIsSpent(async () => {
      unexecuted.push(...(await findUnexecutedCode(context)));
    });
  const exceeds = decision ?? hasTooManySurvivingMutants(tried, survived.length, maxSurvivorRatio);
  return {
    findings: [...unexecuted, ...survivorFindings(survived, tried, exceeds && bringsTests(context))],
    facts: {
      mutants_possible: files.reduce((sum, file) => sum + file.mutants.length, 0),
      mutants_tried: tried,
      mutants_survived: survived.length,
    },
  };
}

/** Whether the patch writes tests, in files of their own or beside the code. */
const bringsTests = ({ subject, inventory }: ExperimentInput): boolean =>
  inventory.changedTests !== null ||
  subject.changes.some(({ path, headEntry }) => headEntry !== null && isTestPath(path));

function survivorFindings(survived: readonly FileMutant[], tried: number, isTooMany: boolean): GateFinding[] {
  const tooMany = isTooMany ? { survived: survived.length, tried } : null;
  return survived.map(({ path, line, description }) =>
    createExperimentFinding({
      file: path,
      line,
      severity: isTooMany ? 'warning' : 'info',
      cause: { rule: 'run_mutant_survives', mutant: description, tooMany },
    }),
  );
}

/** A leaf of a syntax tree that says something: a word, a number, an operator. How code is set and quoted is none. */
interface Token {
  readonly text: string;
  readonly line: number;
}

/** Most pairs of tokens of one hunk that are compared; a larger hunk is taken for new as a whole. */
const MAX_PAIRS = 4_000_000;

/**
 * Lines that the patch writes and that say what the base did not say there, or leave something out. Code that is only set in another
 * way, wrapped or quoted, is the base's: whether tests mind it is nothing that the patch has changed.
 */
export async function readLinesChangingBehaviour(subject: PatchToCheck): Promise<IsMutableLine> {
  const hunks = await readDiffHunks(subject.store, subject.base, subject.tree);
  const files = subject.changes.filter(
    ({ path, headEntry }) => headEntry && (hunks.get(path)?.length ?? 0) > 0,
  );
  const blobs = await readBlobs(
    subject.store,
    files.flatMap(({ baseEntry, headEntry }) =>
      [baseEntry, headEntry].flatMap((entry) => (entry && isRegularFile(entry) ? [entry.id] : [])),
    ),
  );
  const textOf = (id: string | undefined): string => (id && blobs.get(id)?.toString('utf8')) || '';
  const told = new Map<string, ReadonlySet<number>>();
  for (const { path, baseEntry, headEntry } of files) {
    const grammar = grammarOfPath(path);
    if (grammar === null) continue;
    const before = await tokensOf(grammar, textOf(baseEntry?.id));
    const after = await tokensOf(grammar, textOf(headEntry?.id));
    if (before && after) told.set(path, linesWithNewTokens(before, after, hunks.get(path) ?? []));
  }
  // What cannot be compared is the patch's as it stands.
  return (path, line) =>
    told.get(path)?.has(line) ??
    (hunks.get(path) ?? []).some((hunk) => line >= hunk.newLine && line < hunk.newLine + hunk.newCount);
}

async function tokensOf(grammar: Grammar, source: string): Promise<Token[] | null> {
  try {
    const { root } = await parseSource(grammar, source);
    return [...root.walk()].flatMap(({ children, text, line }) =>
      children.length === 0 && (isMutableOperator(text) || /[\p{L}\p{N}_]/u.test(text))
        ? [{ text, line }]
        : [],
    );
  } catch (error) {
    if (error instanceof UnreadableCodeError || error instanceof RangeError) return null;
    throw error;
  }
}

/** Lines of hunks with a token that the hunk's old lines do not have in the same order, or from which one is gone. */
function linesWithNewTokens(
  before: readonly Token[],
  after: readonly Token[],
  hunks: readonly DiffHunk[],
): Set<number> {
  const lines = new Set<number>();
  const within = (all: readonly Token[], from: number, count: number): Token[] =>
    all.filter(({ line }) => line >= from && line < from + count);
  for (const { oldLine, oldCount, newLine, newCount } of hunks)
    for (const token of differingTokens(within(before, oldLine, oldCount), within(after, newLine, newCount)))
      lines.add(token.line);
  return lines;
}

/** Tokens that are not part of the longest sequence which both sides have; for one that is gone, what stands before its place. */
function differingTokens(before: readonly Token[], after: readonly Token[]): Token[] {
  const width = after.length + 1;
  if (before.length === 0 || before.length * after.length > MAX_PAIRS) return [...after];
  const longest = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      longest[i * width + j] =
        before[i]?.text === after[j]?.text ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const found: Token[] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    const token = after[j];
    if (token !== undefined && before[i]?.text === token.text) {
      i++;
      j++;
    } else if (token === undefined || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      const near = after[j - 1] ?? token;
      if (near !== undefined) found.push(near);
      i++;
    } else {
      found.push(token);
      j++;
    }
  }
  return found;
}
