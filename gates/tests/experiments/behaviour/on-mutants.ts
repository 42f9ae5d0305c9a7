import { listFiles } from '../../../../workspace/git/list-files.ts';
import { findReachableModules, moduleOfPath } from '../../../code/import-graph.ts';
import type { RevisionCode } from '../../../code/project-code.ts';
import type { MutantSettings } from '../../../core/behaviour-settings.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import { computeTestId } from '../../../core/test-result.ts';
import type { CommandRun } from '../../running/command-run.ts';
import { Budget } from '../mutants/budget.ts';
import type { PlacedMutant } from '../mutants/pick.ts';
import { eachMutant, limitFor, type MutableFile, mutableFiles, type ReadyMutant } from '../mutants/try.ts';
import type { Again } from './terms.ts';

/** Stands for any test, where no report names those that failed. */
const ANY = '*';

interface Tried {
  readonly mutant: PlacedMutant;
  /** Tests that fail on it, by id. */
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
}

/** What tests of the base say of mutants, beside what the patch's tests say of the same. */
export class Comparison {
  readonly #tried: readonly Tried[];
  /** Whether there was time for all mutants that were to be tried. */
  readonly whole: boolean;
  constructor(tried: readonly Tried[], whole: boolean) {
    this.#tried = tried;
    this.whole = whole;
  }

  /** Mutants that a test of the base noticed. */
  get tried(): number {
    return this.#tried.length;
  }

  /** The tests of the base that noticed any. */
  get tests(): ReadonlySet<string> {
    return new Set(this.#tried.flatMap(({ before }) => [...before]));
  }

  /**
   * How many mutants a test of the base noticed, and those of them that are not noticed any more.
   */
  of(then: string, now?: string): { readonly noticed: number; readonly lost: readonly PlacedMutant[] } {
    const noticed = this.#tried.filter((each) => each.before.has(ANY) || each.before.has(then));
    const stays = ({ after: these }: Tried): boolean =>
      now === undefined ? these.size > 0 : these.has(ANY) || these.has(now);
    return {
      noticed: noticed.length,
      lost: noticed.filter((each) => !stays(each)).map(({ mutant }) => mutant),
    };
  }
}

/** From what share on a test tells so much less than before that it is another one. One mutant may be missed by chance. */
export const tellsLess = ({ noticed, lost }: ReturnType<Comparison['of']>): boolean =>
  lost.length > noticed / 2;

/** The tests that a run names as failed. What never ends may only be slow, and says nothing here. */
export const failedIn = ({ outcome, cases }: CommandRun): ReadonlySet<string> => {
  if (outcome !== 'failed') return new Set();
  const failed = (cases ?? []).flatMap((test) => (test.outcome === 'failed' ? [computeTestId(test)] : []));
  return new Set(failed.length > 0 ? failed : [ANY]);
};

export interface OnMutants {
  readonly subject: PatchSubject;
  readonly run: CommandRun;
  readonly again: Again;
  /** The code whose mutants are tried, and its tree. */
  readonly side: RevisionCode;
  readonly tree: string;
  /** Paths of the tests whose subjects are changed. */
  readonly tests: readonly string[];
  /** Tree with the tests of the base. */
  readonly before: string;
  /** Those of them that fail on the code as it is, by id: they say nothing. */
  readonly failing?: ReadonlySet<string>;
  /** Tree with those of the patch. */
  readonly after: string;
  /** Tree with all tests, which are asked where none in `after` notices anything; null: they are not. */
  readonly whole: string | null;
  readonly settings: MutantSettings;
}

/** Tries changes of the code under test on both. No reading tells what tests protect, whatever their words. */
export async function onMutants(terms: OnMutants): Promise<Comparison> {
  const { subject, run, again, side, tests, settings, failing = new Set() } = terms;
  const under = underTest(side, tests);
  const sources = (await listFiles(subject.store, terms.tree)).filter(({ path }) => under.has(path));
  const files = finest(await mutableFiles(subject, sources, () => true));
  const limit = { limitMs: limitFor(run) };
  const tried: Tried[] = [];
  const possible = files.reduce((sum, { mutants }) => sum + mutants.length, 0);
  let open = Math.min(possible, settings.atMost);
  const budget = new Budget(settings.seconds);
  const ask = async (mutant: ReadyMutant, tree: string): Promise<CommandRun> =>
    budget.spend(await again(await mutant.in(tree), limit));
  for await (const mutant of eachMutant({ store: subject.store, files, most: settings.atMost, budget })) {
    open--;
    const all = failedIn(await ask(mutant, terms.before));
    const before = new Set([...all].filter((id) => !failing.has(id)));
    if (before.size === 0) continue;
    const own = await ask(mutant, terms.after);
    // What ends in another way than well was noticed; a test that stays as it is may notice it as well.
    const rest = own.outcome === 'passed' && terms.whole !== null ? await ask(mutant, terms.whole) : own;
    tried.push({ mutant, before, after: rest.outcome === 'passed' ? new Set() : orAny(failedIn(rest)) });
  }
  return new Comparison(tried, open === 0);
}

/** What any test notices says nothing of what a vaguer one misses; it counts only where there is nothing else. */
function finest(files: readonly MutableFile[]): readonly MutableFile[] {
  const fine = files.map((file) => ({ ...file, mutants: file.mutants.filter(({ coarse }) => !coarse) }));
  return fine.some(({ mutants }) => mutants.length > 0) ? fine : files;
}

const orAny = (ids: ReadonlySet<string>): ReadonlySet<string> => (ids.size > 0 ? ids : new Set([ANY]));

/** Files that tests import, directly or through others. */
function underTest(side: RevisionCode, tests: readonly string[]): ReadonlySet<string> {
  const modules = findReachableModules(tests.map(moduleOfPath), (from) =>
    (side.importGraph.outgoingEdges.get(from) ?? []).map(({ to }) => to),
  );
  return new Set([...modules].flatMap((module) => side.filesOfModule(module).map(({ path }) => path)));
}
