import type { GateFinding } from '../../../core/gate-finding.ts';
import { isTestPath } from '../../../core/test-paths.ts';
import type { Experiment } from '../engine/experiment.ts';
import {
  type ExperimentContext,
  type ExperimentResult,
  NO_RESULT,
  untilBudgetIsSpent,
} from '../engine/experiment-context.ts';
import { findingOf } from '../engine/findings.ts';
import { readMeaningfulLines } from '../perturbations/meaningful-lines.ts';
import {
  isKilled,
  mutantTimeLimitMs,
  readMutableFiles,
  readyMutants,
} from '../perturbations/ready-mutants.ts';
import type { PlacedMutant } from '../perturbations/sample-mutants.ts';
import { readReachingTests, treeWithOnlyTests } from '../trees/test-impact-analysis.ts';

/** Fewest survivors that tell anything. */
const MIN_SURVIVORS = 2;
/** Fewest mutants of which a share tells anything; of fewer, all have to survive. */
const MIN_MUTANTS_FOR_SHARE = 6;

/** Whether too many mutants survive: more than a share of them, or all where they are few. */
export const exceedsThreshold = (tried: number, survived: number, share: number): boolean =>
  survived >= MIN_SURVIVORS &&
  (tried < MIN_MUTANTS_FOR_SHARE ? survived === tried : survived / tried > share);

/** Returns what `exceedsThreshold` will say whatever becomes of the mutants that are left; null: that depends on them. */
export function earlyDecision(tried: number, survived: number, left: number, share: number): boolean | null {
  if (left > 0 && tried + left < MIN_MUTANTS_FOR_SHARE) return null;
  const least = exceedsThreshold(tried + left, survived, share);
  return least === exceedsThreshold(tried + left, survived + left, share) ? least : null;
}

/** Tries mutants of the lines that the patch adds: tests that the patch brings and that notice few of them check little. */
export const mutationThreshold: Experiment = {
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

async function tryMutants(context: ExperimentContext): Promise<ExperimentResult> {
  const { subject, run, runTests, settings } = context;
  const { atMost = 0, maxSurvivorRatio = 1 } = settings?.mutants ?? {};
  const reaching = await readReachingTests(subject);
  if (reaching === null) return NO_RESULT;
  const changed = subject.changes.flatMap(({ path, headEntry }) =>
    headEntry && reaching(path).length > 0 ? [{ path, id: headEntry.id, mode: headEntry.mode }] : [],
  );
  const files = await readMutableFiles(subject, changed, await readMeaningfulLines(subject));
  const trees = new Map<string, Promise<string>>();
  const treeFor = (path: string): Promise<string> => {
    const tree = trees.get(path) ?? treeWithOnlyTests(subject, subject.tree, reaching(path));
    trees.set(path, tree);
    return tree;
  };
  const survived: PlacedMutant[] = [];
  let tried = 0;
  let decision: boolean | null = null;
  const mutants = readyMutants({ store: subject.store, files, most: atMost });
  await untilBudgetIsSpent(async () => {
    for (const [index, mutant] of mutants.entries()) {
      const tree = await mutant.applyTo(await treeFor(mutant.path));
      const killed = isKilled(await runTests(tree, { limitMs: mutantTimeLimitMs(run) }));
      if (killed !== null) tried++;
      if (killed === false) survived.push(mutant);
      decision = earlyDecision(tried, survived.length, mutants.length - index - 1, maxSurvivorRatio);
      if (decision !== null) break;
    }
  });
  const exceeds = decision ?? exceedsThreshold(tried, survived.length, maxSurvivorRatio);
  return {
    findings: survivorFindings(survived, tried, exceeds && bringsTests(context)),
    facts: {
      mutants_possible: files.reduce((sum, file) => sum + file.mutants.length, 0),
      mutants_tried: tried,
      mutants_survived: survived.length,
    },
  };
}

/** Whether the patch writes tests, in files of their own or beside the code. */
const bringsTests = ({ subject, inventory }: ExperimentContext): boolean =>
  inventory.changedTests !== null ||
  subject.changes.some(({ path, headEntry }) => headEntry !== null && isTestPath(path));

function survivorFindings(
  survived: readonly PlacedMutant[],
  tried: number,
  isTooMany: boolean,
): GateFinding[] {
  const tooMany = isTooMany ? { survived: survived.length, tried } : null;
  return survived.map(({ path, line, description }) =>
    findingOf({
      file: path,
      line,
      severity: isTooMany ? 'warning' : 'info',
      cause: { rule: 'run_mutant_survives', mutant: description, tooMany },
    }),
  );
}
