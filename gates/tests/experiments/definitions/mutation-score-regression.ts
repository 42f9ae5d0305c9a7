import { listFiles } from '../../../../workspace/git/list-files.ts';
import { findReachableModules, moduleOfPath } from '../../../code/import-graph.ts';
import type { RevisionCode } from '../../../code/project-code.ts';
import { collectTestIdsByOutcome } from '../../../core/test-result.ts';
import type { CompletedCommandRun } from '../../running/command-run.ts';
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
  type MutableSourceFile,
  prepareTreeMutants,
  readMutableSourceFiles,
  type TreeMutant,
} from '../perturbations/mutants.ts';
import { listChangedBaseTests } from '../sources/test-source-index.ts';
import {
  type ChangedBaseTestFiles,
  readProjectCodeWithinTimeLimit,
  writeTreeWithOnlyTests,
} from '../trees/changed-tests.ts';
import { findTestResultOfSource, runTransplantedTests } from '../trees/transplant-case.ts';

/** Tries mutants of what changed tests are about: of those that one base test notices, no test of the patch notices most. */
export const mutationScoreRegressionExperiment: TestExperiment = {
  id: 'mutation_score_regression',
  evidence: 'optional',
  tree: 'patch',
  tests: 'both_versions',
  perturbation: 'mutants',
  needs: ['mutants'],
  when: 'undecided',
  applies: ({ inventory }) => (inventory.changedTests?.keptTestFiles ?? []).length > 0,
  run: findScoreRegression,
};

async function findScoreRegression(context: ExperimentInput): Promise<ExperimentResult> {
  const { subject, inventory, settings } = context;
  const changed = inventory.changedTests;
  const maxMutants = settings?.mutants?.atMost ?? 0;
  const project = changed === null ? null : await readProjectCodeWithinTimeLimit(subject);
  const base = changed === null || project === null ? null : await findLoadableBaseTests(changed, context);
  if (changed === null || project === null || base === null) return EMPTY_EXPERIMENT_RESULT;
  const tests = changed.keptTestFiles;
  const comparison = await compareTestsOnMutants({
    ...context,
    side: project.head,
    tree: subject.tree,
    tests,
    ...base,
    patchTestsTree: await writeTreeWithOnlyTests(subject, subject.tree, changed.patchPaths),
    allTestsTree: subject.tree,
    maxMutants,
  });
  const facts = { compared_mutants_tried: comparison.tried };
  for (const test of comparison.killingTests) {
    const kills = comparison.killsOf(test);
    const [mutant] = kills.lost;
    if (!mutant || !isScoreRegression(kills)) continue;
    const [lost, { noticed }] = [kills.lost.length, kills];
    const cause = { rule: 'run_tests_weakened', mutant: mutant.description, tests, lost, noticed } as const;
    return {
      findings: [
        createExperimentFinding({ file: mutant.path, line: mutant.line, severity: 'warning', cause }),
      ],
      facts,
    };
  }
  return { findings: [], facts };
}

/**
 * A tree of the new code in which base versions of changed tests run, and those that fail there as it is. Where the base's file cannot
 * be loaded, its cases are transplanted into the new one. Null: none run, or no report tells which of them fail.
 */
async function findLoadableBaseTests(
  changed: ChangedBaseTestFiles,
  context: ExperimentInput,
): Promise<Pick<MutantComparisonOptions, 'baseTestsTree' | 'ignoredIds'> | null> {
  const { runTests, inventory } = context;
  const { sources } = inventory;
  const baseTestsTree = await changed.baseTestsOnNewCode();
  const run = await runTests(baseTestsTree);
  if (run.outcome === 'passed') return { baseTestsTree, ignoredIds: new Set() };
  if (run.outcome !== 'failed' || context.run.cases === null) return null;
  const tests = listChangedBaseTests(sources, changed.baseTestFiles);
  if (tests.some((each) => findTestResultOfSource(run, each)?.outcome === 'passed'))
    return { baseTestsTree, ignoredIds: failedTestIds(run) };
  const [first] = (await runTransplantedTests('patch', tests, { ...context, sources })).values();
  return first === undefined
    ? null
    : { baseTestsTree: first.tree, ignoredIds: failedTestIds(await runTests(first.tree)) };
}

/** Stands for any test, where no report names those that failed. */
const ANY_TEST = '*';

interface TriedMutant {
  readonly mutant: FileMutant;
  /** Tests that fail on it, by id. */
  readonly killedByBase: ReadonlySet<string>;
  readonly killedByPatch: ReadonlySet<string>;
}

/** What tests of the base say of mutants, beside what the patch's tests say of the same. */
export class MutantTestComparison {
  readonly #tried: readonly TriedMutant[];
  /** Whether there was time for all mutants that were to be tried. */
  readonly isComplete: boolean;
  constructor(tried: readonly TriedMutant[], whole: boolean) {
    this.#tried = tried;
    this.isComplete = whole;
  }

  /** Mutants that a test of the base noticed. */
  get tried(): number {
    return this.#tried.length;
  }

  /** The tests of the base that noticed any. */
  get killingTests(): ReadonlySet<string> {
    return new Set(this.#tried.flatMap(({ killedByBase }) => [...killedByBase]));
  }

  /**
   * How many mutants a test of the base noticed, and those of them that are not noticed any more.
   */
  killsOf(then: string, now?: string): { readonly noticed: number; readonly lost: readonly FileMutant[] } {
    const noticed = this.#tried.filter(
      (each) => each.killedByBase.has(ANY_TEST) || each.killedByBase.has(then),
    );
    const stays = ({ killedByPatch: these }: TriedMutant): boolean =>
      now === undefined ? these.size > 0 : these.has(ANY_TEST) || these.has(now);
    return {
      noticed: noticed.length,
      lost: noticed.filter((each) => !stays(each)).map(({ mutant }) => mutant),
    };
  }
}

/** From what share on a test tells so much less than before that it is another one. One mutant may be missed by chance. */
const isScoreRegression = ({ noticed, lost }: ReturnType<MutantTestComparison['killsOf']>): boolean =>
  lost.length > noticed / 2;

/** The tests that a run names as failed. What never ends may only be slow, and says nothing here. */
export const failedTestIds = ({ outcome, cases }: CompletedCommandRun): ReadonlySet<string> => {
  if (outcome !== 'failed') return new Set();
  return orAnyTest(collectTestIdsByOutcome(cases, 'failed'));
};

interface MutantComparisonOptions extends Pick<ExperimentInput, 'subject' | 'run' | 'runTests'> {
  /** The code whose mutants are tried, and its tree. */
  readonly side: RevisionCode;
  readonly tree: string;
  /** Paths of the tests whose subjects are changed. */
  readonly tests: readonly string[];
  /** Tree with the tests of the base. */
  readonly baseTestsTree: string;
  /** Those of them that fail on the code as it is, by id: they say nothing. */
  readonly ignoredIds?: ReadonlySet<string>;
  /** Tree with those of the patch. */
  readonly patchTestsTree: string;
  /** Tree with all tests, which are asked where none in `patchTestsTree` notices anything; null: they are not. */
  readonly allTestsTree: string | null;
  readonly maxMutants: number;
}

/** Tries mutants of the code under test on both versions of the tests. No reading tells what tests protect, whatever their words. */
export async function compareTestsOnMutants(options: MutantComparisonOptions): Promise<MutantTestComparison> {
  const { subject, run, runTests, side, tests, maxMutants, ignoredIds = new Set() } = options;
  const { store } = subject;
  const under = filesUnderTest(side, tests);
  const sources = (await listFiles(store, options.tree)).filter(({ path }) => under.has(path));
  const files = withoutCoarseMutants(await readMutableSourceFiles(subject, sources, () => true));
  const runMutant = async (mutant: TreeMutant, tree: string): Promise<CompletedCommandRun> =>
    runTests(await mutant.applyTo(tree), { limitMs: computeMutantTimeLimitMs(run) });
  const tried: TriedMutant[] = [];
  const isComplete = await runUntilBudgetIsSpent(async () => {
    for (const mutant of prepareTreeMutants({ store, files, most: maxMutants })) {
      const failed = failedTestIds(await runMutant(mutant, options.baseTestsTree));
      const killedByBase = new Set([...failed].filter((id) => !ignoredIds.has(id)));
      if (killedByBase.size === 0) continue;
      const own = await runMutant(mutant, options.patchTestsTree);
      // What ends in another way than well was noticed; a test that stays as it is may notice it as well.
      const last =
        own.outcome === 'passed' && options.allTestsTree !== null
          ? await runMutant(mutant, options.allTestsTree)
          : own;
      const killedByPatch = last.outcome === 'passed' ? new Set<string>() : orAnyTest(failedTestIds(last));
      tried.push({ mutant, killedByBase, killedByPatch });
    }
  });
  return new MutantTestComparison(tried, isComplete);
}

/** What any test notices says nothing of what a vaguer one misses; it counts only where there is nothing else. */
function withoutCoarseMutants(files: readonly MutableSourceFile[]): readonly MutableSourceFile[] {
  const fine = files.map((file) => ({ ...file, mutants: file.mutants.filter(({ coarse }) => !coarse) }));
  return fine.some(({ mutants }) => mutants.length > 0) ? fine : files;
}

const orAnyTest = (ids: ReadonlySet<string>): ReadonlySet<string> =>
  ids.size > 0 ? ids : new Set([ANY_TEST]);

/** Files that tests import, directly or through others. */
function filesUnderTest(side: RevisionCode, tests: readonly string[]): ReadonlySet<string> {
  const modules = findReachableModules(tests.map(moduleOfPath), (from) =>
    (side.importGraph.outgoingEdges.get(from) ?? []).map(({ to }) => to),
  );
  return new Set([...modules].flatMap((module) => side.filesOfModule(module).map(({ path }) => path)));
}
