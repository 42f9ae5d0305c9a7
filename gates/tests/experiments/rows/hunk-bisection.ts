import { isTestPath } from '../../../core/test-paths.ts';
import { computeTestId } from '../../../core/test-result.ts';
import type { CommandRun } from '../../running/command-run.ts';
import type { Experiment } from '../engine/experiment.ts';
import {
  type BaseTestFailure,
  type ExperimentContext,
  type ExperimentResult,
  type FailureJudgement,
  NO_RESULT,
  untilBudgetIsSpent,
} from '../engine/experiment-context.ts';
import { mutantTimeLimitMs } from '../perturbations/ready-mutants.ts';
import type { TestSourceIndex } from '../sources/test-source-index.ts';
import type { ChangedTests } from '../trees/changed-tests.ts';
import { type HunkRevert, listHunkReverts } from '../trees/revert-hunks.ts';
import { treeWithOnlyTests } from '../trees/test-impact-analysis.ts';
import { unexplainedFailures } from './changed-expectations.ts';
import { idsIn } from './outcomes.ts';

/** Most hunks that are reverted. */
const MAX_REVERTS = 8;

/**
 * Reverts hunks of the patch's code one at a time. The one with which a base test passes again is why it fails; whoever changed that
 * expectation has a test that notices when the hunk is missing.
 */
export const hunkBisection: Experiment = {
  id: 'hunk_bisection',
  evidence: 'optional',
  tree: 'patch',
  tests: 'both_versions',
  perturbation: 'hunk_revert',
  needs: ['mutants'],
  when: 'undecided',
  applies: (context) => unexplainedFailures(context).length > 0,
  run: async (context) => {
    const { changedTests } = context.inventory;
    return changedTests === null ? NO_RESULT : bisectHunks(changedTests, context);
  },
};

async function bisectHunks(changed: ChangedTests, context: ExperimentContext): Promise<ExperimentResult> {
  const { subject, runTests, run, inventory } = context;
  const removed = removedWords(inventory.sources);
  // A test that names what the code no longer has fails for another interface, not for another answer.
  const failures = unexplainedFailures(context).filter(
    ({ test }) => ![...(inventory.sources.inBase(test)?.identifiers ?? [])].some((name) => removed.has(name)),
  );
  const judgements = new Map<BaseTestFailure, FailureJudgement>(context.failures);
  let reverted = 0;
  const result = (): ExperimentResult => ({
    findings: [],
    facts: { hunks_reverted: reverted },
    failures: judgements,
  });
  if (failures.length === 0) return result();
  const runWithout = async (hunk: HunkRevert, tree: string): Promise<CommandRun> =>
    runTests(await hunk.applyTo(tree), { limitMs: mutantTimeLimitMs(run) });
  const patchTests = await treeWithOnlyTests(subject, subject.tree, changed.patchPaths);
  const isNoticed = async (hunk: HunkRevert): Promise<boolean> =>
    (await runWithout(hunk, patchTests)).outcome !== 'passed' ||
    (await runWithout(hunk, subject.tree)).outcome !== 'passed';
  const hunks = (await listHunkReverts(subject, inventory.sources)).slice(0, MAX_REVERTS);
  await untilBudgetIsSpent(async () => {
    for (const hunk of hunks) {
      const open = failures.filter((each) => judgements.get(each) === null);
      if (open.length === 0) break;
      reverted++;
      const passing: BaseTestFailure[] = [];
      for (const tree of new Set(open.map((each) => each.tree))) {
        const passed = idsIn((await runWithout(hunk, tree)).cases, 'passed');
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
