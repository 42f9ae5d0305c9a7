import { listFiles } from '../../../../workspace/git/list-files.ts';
import { findReachableModules, moduleOfPath } from '../../../code/import-graph.ts';
import type { RevisionCode } from '../../../code/project-code.ts';
import type { CommandRun } from '../../running/command-run.ts';
import { type ExperimentContext, untilBudgetIsSpent } from '../engine/experiment-context.ts';
import {
  type MutableFile,
  mutantTimeLimitMs,
  type ReadyMutant,
  readMutableFiles,
  readyMutants,
} from '../perturbations/ready-mutants.ts';
import type { PlacedMutant } from '../perturbations/sample-mutants.ts';
import { idsIn } from './outcomes.ts';

/** Stands for any test, where no report names those that failed. */
const ANY_TEST = '*';

interface TriedMutant {
  readonly mutant: PlacedMutant;
  /** Tests that fail on it, by id. */
  readonly killedByBase: ReadonlySet<string>;
  readonly killedByPatch: ReadonlySet<string>;
}

/** What tests of the base say of mutants, beside what the patch's tests say of the same. */
export class MutantComparison {
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
  killsOf(then: string, now?: string): { readonly noticed: number; readonly lost: readonly PlacedMutant[] } {
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
export const isScoreRegression = ({ noticed, lost }: ReturnType<MutantComparison['killsOf']>): boolean =>
  lost.length > noticed / 2;

/** The tests that a run names as failed. What never ends may only be slow, and says nothing here. */
export const failedTestIds = ({ outcome, cases }: CommandRun): ReadonlySet<string> => {
  if (outcome !== 'failed') return new Set();
  return orAnyTest(idsIn(cases, 'failed'));
};

export interface MutantComparisonOptions extends Pick<ExperimentContext, 'subject' | 'run' | 'runTests'> {
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
  /** Tree with all tests, which are asked where none in `after` notices anything; null: they are not. */
  readonly allTestsTree: string | null;
  readonly maxMutants: number;
}

/** Tries mutants of the code under test on both versions of the tests. No reading tells what tests protect, whatever their words. */
export async function compareOnMutants(options: MutantComparisonOptions): Promise<MutantComparison> {
  const { subject, run, runTests, side, tests, maxMutants, ignoredIds = new Set() } = options;
  const { store } = subject;
  const under = filesUnderTest(side, tests);
  const sources = (await listFiles(store, options.tree)).filter(({ path }) => under.has(path));
  const files = withoutCoarseMutants(await readMutableFiles(subject, sources, () => true));
  const runMutant = async (mutant: ReadyMutant, tree: string): Promise<CommandRun> =>
    runTests(await mutant.applyTo(tree), { limitMs: mutantTimeLimitMs(run) });
  const tried: TriedMutant[] = [];
  const isComplete = await untilBudgetIsSpent(async () => {
    for (const mutant of readyMutants({ store, files, most: maxMutants })) {
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
  return new MutantComparison(tried, isComplete);
}

/** What any test notices says nothing of what a vaguer one misses; it counts only where there is nothing else. */
function withoutCoarseMutants(files: readonly MutableFile[]): readonly MutableFile[] {
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
