import type { MutantSettings } from '../../../core/behaviour-settings.ts';
import type { GateFinding } from '../../../core/gate-finding.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import { isTestPath } from '../../../core/test-paths.ts';
import { findingOf } from '../engine/findings.ts';
import { Budget } from '../mutants/budget.ts';
import type { PlacedMutant } from '../mutants/pick.ts';
import { linesThatSayMore } from '../mutants/says-more.ts';
import { eachMutant, limitFor, mutableFiles, noticed } from '../mutants/try.ts';
import { OTHER_SURROUNDINGS, toldElsewhere } from './elsewhere.ts';
import { runIdle } from './idle-tests.ts';
import { learntAnswers } from './learnt-answers.ts';
import { reachingTests, withOnly } from './narrowed.ts';
import { oldTests } from './old-tests.ts';
import { otherAnswers } from './other-answers.ts';
import { isTooMuch, settled } from './survivors.ts';
import { type Further, type FurtherTerms, NOTHING } from './terms.ts';
import { runWeakened } from './weakened.ts';

/** Runs that no honest patch has to fear: the tests in other surroundings, and on mutants of the added lines. */
export async function furtherRuns(terms: FurtherTerms): Promise<Further> {
  const { behaviour } = terms;
  const elsewhere = behaviour.otherSurroundings ? await runElsewhere(terms) : NOTHING;
  const parts = [elsewhere];
  if (behaviour.mutants !== null && elsewhere.seen.length === 0) {
    for (const tell of [runIdle, otherAnswers, learntAnswers, runWeakened])
      if (parts.every(({ seen }) => !seen.some(isHeld))) parts.push(await tell(terms, behaviour.mutants));
    if (parts.every(({ seen }) => !seen.some(isHeld))) parts.push(await runMutants(terms, behaviour.mutants));
  }
  return {
    seen: parts.flatMap(({ seen }) => seen),
    facts: Object.assign({}, ...parts.map(({ facts }) => facts)) as Further['facts'],
  };
}

const isHeld = ({ severity }: GateFinding): boolean => severity === 'fails' || severity === 'unclear';

/** Most test files that run once more in other surroundings. */
const SAMPLE = 20;

async function runElsewhere({ subject, run, again }: FurtherTerms): Promise<Further> {
  const reach = await reachingTests(subject);
  const changed = subject.changes.flatMap(({ path, headEntry }) => (headEntry ? [path] : []));
  const sample = reach === null ? [] : [...new Set(changed.flatMap((path) => reach(path)))].slice(0, SAMPLE);
  if (sample.length === 0) return { seen: [], facts: { other_surroundings: 'no test reaches the patch' } };
  const other = await again(await withOnly(subject, subject.tree, sample), {
    surroundings: OTHER_SURROUNDINGS,
  });
  const facts = { other_surroundings: `${sample.length} test files` };
  if (other.outcome === 'passed') return { seen: [], facts };
  const base = await again(await withOnly(subject, subject.base, sample), {
    surroundings: OTHER_SURROUNDINGS,
  });
  return { seen: toldElsewhere(run, other, base), facts };
}

/** Whether the patch's tests notice changes of the lines that it adds. */
async function runMutants(
  terms: FurtherTerms,
  { seconds, atMost, surviving }: MutantSettings,
): Promise<Further> {
  const { subject, run, again } = terms;
  const reach = await reachingTests(subject);
  if (reach === null) return NOTHING;
  const changed = subject.changes.flatMap(({ path, headEntry }) =>
    headEntry && reach(path).length > 0 ? [{ path, id: headEntry.id, mode: headEntry.mode }] : [],
  );
  const files = await mutableFiles(subject, changed, await linesThatSayMore(subject));
  const trees = new Map<string, Promise<string>>();
  const treeFor = (path: string): Promise<string> => {
    const there = trees.get(path) ?? withOnly(subject, subject.tree, reach(path));
    trees.set(path, there);
    return there;
  };
  const possible = files.reduce((sum, { mutants }) => sum + mutants.length, 0);
  const most = Math.min(possible, atMost);
  const survived: PlacedMutant[] = [];
  let tried = 0;
  let left = most;
  let isMuch: boolean | null = null;
  const budget = new Budget(seconds);
  for await (const mutant of eachMutant({ store: subject.store, files, most, budget })) {
    const answer = noticed(
      budget.spend(await again(await mutant.in(await treeFor(mutant.path)), { limitMs: limitFor(run) })),
    );
    left--;
    if (answer !== null) tried++;
    if (answer === false) survived.push(mutant);
    isMuch = settled(tried, survived.length, left, surviving);
    if (isMuch !== null) break;
  }
  return {
    seen: toldByMutants(
      tried,
      survived,
      (isMuch ?? isTooMuch(tried, survived.length, surviving)) && (await bringsTests(subject)),
    ),
    facts: {
      mutants_possible: possible,
      mutants_tried: tried,
      mutants_survived: survived.length,
    },
  };
}

/** Whether a patch writes tests, in files of their own or beside the code. */
const bringsTests = async (subject: PatchSubject): Promise<boolean> =>
  (await oldTests(subject)) !== null ||
  subject.changes.some(({ path, headEntry }) => headEntry !== null && isTestPath(path));

/** A patch that brings tests, and whose tests notice next to nothing of what is changed in the lines that it adds. */
function toldByMutants(tried: number, survived: readonly PlacedMutant[], isMuch: boolean): GateFinding[] {
  const tooMany = isMuch ? { survived: survived.length, tried } : null;
  return survived.map(({ path, line, says }) =>
    findingOf({
      file: path,
      line,
      severity: isMuch ? 'unclear' : 'reported',
      cause: { rule: 'run_mutant_survives', mutant: says, tooMany },
    }),
  );
}
