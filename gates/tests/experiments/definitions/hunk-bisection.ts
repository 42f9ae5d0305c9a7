import { isTestPath } from '../../../../shared/contract/evidence/test-path.ts';
import { editTree, writeBlob } from '../../../../workspace/git/edit-tree.ts';
import { getPathInBase } from '../../../../workspace/git/file-changes.ts';
import { replaceRustInlineTests } from '../../../code/cases/rust-inline-tests.ts';
import { createBaseFileReader } from '../../../core/base-file-reader.ts';
import { isProjectCodePath } from '../../../core/language.ts';
import type { PatchToCheck } from '../../../core/patch-to-check.ts';
import { collectTestIdsByOutcome, computeTestId } from '../../../core/test-result.ts';
import { type DiffHunk, readDiffHunks } from '../../running/added-lines.ts';
import type { CompletedCommandRun } from '../../running/command-run.ts';
import {
  type BaseFailureAssessment,
  type BaseTestFailure,
  EMPTY_EXPERIMENT_RESULT,
  type ExperimentInput,
  type ExperimentResult,
  type TestExperiment,
} from '../engine/experiment.ts';
import { runUntilBudgetIsSpent } from '../engine/test-runners.ts';
import { computeMutantTimeLimitMs } from '../perturbations/mutants.ts';
import type { TestSourceIndex } from '../sources/test-source-index.ts';
import { type ChangedBaseTestFiles, writeTreeWithOnlyTests } from '../trees/changed-tests.ts';
import { findUnexplainedBaseTestFailures } from './changed-expectations.ts';

/** Most hunks that are reverted. */
const MAX_REVERTS = 8;

/**
 * Reverts hunks of the patch's code one at a time. The one with which a base test passes again is why it fails; whoever changed that
 * expectation has a test that notices when the hunk is missing.
 */
export const hunkBisectionExperiment: TestExperiment = {
  id: 'hunk_bisection',
  evidence: 'optional',
  tree: 'patch',
  tests: 'both_versions',
  perturbation: 'hunk_revert',
  needs: ['mutants'],
  when: 'undecided',
  applies: (context) => findUnexplainedBaseTestFailures(context).length > 0,
  run: async (context) => {
    const { changedTests } = context.inventory;
    return changedTests === null ? EMPTY_EXPERIMENT_RESULT : bisectHunks(changedTests, context);
  },
};

async function bisectHunks(
  changed: ChangedBaseTestFiles,
  context: ExperimentInput,
): Promise<ExperimentResult> {
  const { subject, runTests, run, inventory } = context;
  const removed = removedWords(inventory.sources);
  // A test that names what the code no longer has fails for another interface, not for another answer.
  const failures = findUnexplainedBaseTestFailures(context).filter(
    ({ test }) => ![...(inventory.sources.inBase(test)?.identifiers ?? [])].some((name) => removed.has(name)),
  );
  const judgements = new Map<BaseTestFailure, BaseFailureAssessment>(context.failures);
  let reverted = 0;
  const result = (): ExperimentResult => ({
    findings: [],
    facts: { hunks_reverted: reverted },
    failures: judgements,
  });
  if (failures.length === 0) return result();
  const runWithout = async (hunk: HunkRevert, tree: string): Promise<CompletedCommandRun> =>
    runTests(await hunk.applyTo(tree), { limitMs: computeMutantTimeLimitMs(run) });
  const patchTests = await writeTreeWithOnlyTests(subject, subject.tree, changed.patchPaths);
  const isNoticed = async (hunk: HunkRevert): Promise<boolean> =>
    (await runWithout(hunk, patchTests)).outcome !== 'passed' ||
    (await runWithout(hunk, subject.tree)).outcome !== 'passed';
  const hunks = (await listHunkReverts(subject, inventory.sources)).slice(0, MAX_REVERTS);
  await runUntilBudgetIsSpent(async () => {
    for (const hunk of hunks) {
      const open = failures.filter((each) => judgements.get(each) === null);
      if (open.length === 0) break;
      reverted++;
      const passing: BaseTestFailure[] = [];
      for (const tree of new Set(open.map((each) => each.tree))) {
        const passed = collectTestIdsByOutcome((await runWithout(hunk, tree)).cases, 'passed');
        passing.push(...open.filter((each) => each.tree === tree && passed.has(computeTestId(each.test))));
      }
      if (passing.length === 0) continue;
      const { path, line } = hunk;
      if (!(await isNoticed(hunk)))
        for (const each of passing) judgements.set(each, { code: 'hunk_not_tested', path, line });
      // Without all that the patch does any of its tests fails, whatever it tests.
      else if (hunks.length > 1) for (const each of passing) judgements.set(each, { code: 'hunk_tested' });
    }
  });
  return result();
}

/** Words that a file of code had, and has no more. */
function removedWords({ changedTexts }: TestSourceIndex): ReadonlySet<string> {
  const gone = new Set<string>();
  for (const { path, basePath, before, after } of changedTexts) {
    if (before === null || isTestPath(basePath ?? path)) continue;
    const left = new Set(wordsIn(after ?? ''));
    for (const word of wordsIn(before)) if (!left.has(word)) gone.add(word);
  }
  return gone;
}

const wordsIn = (text: string): string[] => text.match(/[\p{L}\p{N}_$]+/gu) ?? [];

/** One part of what the patch does to the code, as the base has it. */
interface HunkRevert {
  readonly path: string;
  /** 1-based, in the patch. */
  readonly line: number;
  /** A tree with this part taken back. */
  applyTo(tree: string): Promise<string>;
}

/** Every part of the patch's code that can be taken back by itself, the smallest first. */
async function listHunkReverts(
  subject: PatchToCheck,
  { changedTexts }: Pick<TestSourceIndex, 'changedTexts'>,
): Promise<readonly HunkRevert[]> {
  const hunks = await readDiffHunks(subject.store, subject.base, subject.tree);
  const parts: { readonly size: number; readonly part: HunkRevert }[] = [];
  for (const change of subject.changes) {
    const { path, headEntry } = change;
    const text = changedTexts.find((each) => each.path === path);
    if (!headEntry || getPathInBase(change) === null || !isProjectCodePath(path) || isTestPath(path))
      continue;
    if (text?.before == null || text.after === null) continue;
    const [before, after] = [text.before.split('\n'), text.after.split('\n')];
    for (const hunk of (hunks.get(path) ?? []).flatMap(splitHunk)) {
      const back = revertHunk(before, after, hunk);
      parts.push({
        size: hunk.newCount + hunk.oldCount,
        part: {
          path,
          line: Math.max(1, hunk.newLine),
          applyTo: async (tree) => {
            const there = path.endsWith('.rs') ? await createBaseFileReader(subject.store, tree)(path) : null;
            const put = (there && (await replaceRustInlineTests(back, there))) ?? back;
            return editTree(subject.store, tree, [
              { path, entry: { id: writeBlob(subject.store, put), mode: headEntry.mode } },
            ]);
          },
        },
      });
    }
  }
  return parts.toSorted((a, b) => a.size - b.size).map(({ part }) => part);
}

/** A hunk, and where it has as many lines on both sides each of them as well. */
function splitHunk(hunk: DiffHunk): DiffHunk[] {
  const { oldLine, oldCount, newLine, newCount } = hunk;
  if (newCount !== oldCount || newCount < 2) return [hunk];
  const lines = Array.from(
    { length: newCount },
    (_, at): DiffHunk => ({ oldLine: oldLine + at, oldCount: 1, newLine: newLine + at, newCount: 1 }),
  );
  return [hunk, ...lines];
}

function revertHunk(before: readonly string[], after: readonly string[], hunk: DiffHunk): string {
  const { oldLine, oldCount, newLine, newCount } = hunk;
  // Where a side has no lines, the hunk stands after the line that is named.
  const at = newCount === 0 ? newLine : newLine - 1;
  const then = oldCount === 0 ? oldLine : oldLine - 1;
  return [...after.slice(0, at), ...before.slice(then, then + oldCount), ...after.slice(at + newCount)].join(
    '\n',
  );
}
