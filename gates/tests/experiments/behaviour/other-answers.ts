import type { MutantSettings } from '../../../core/behaviour-settings.ts';
import type { GateFinding } from '../../../core/gate-finding.ts';
import type { PatchSubject } from '../../../core/patch-subject.ts';
import { computeTestId, type TestResult } from '../../../core/test-result.ts';
import { testFinding } from '../engine/findings.ts';
import { Budget } from '../mutants/budget.ts';
import type { Instead } from '../mutants/instead/instead.ts';
import { comingTo } from '../mutants/instead/tree.ts';
import { limitFor } from '../mutants/try.ts';
import { ALL_COMPARED, type Asked, byId, COMPARED, idsOf } from './asked.ts';
import { bodiesOf } from './bodies.ts';
import { touchedTests } from './idle-tests.ts';
import { mindedBefore } from './minded-before.ts';
import { withOnly } from './narrowed.ts';
import { testsOfPatch } from './of-the-patch.ts';
import { type OldTests, oldTests } from './old-tests.ts';
import { type Further, type FurtherTerms, NOTHING } from './terms.ts';

/**
 * Whether tests mind what the code comes to. All of it is changed at once, at the border between code and tests, and each test is
 * asked by itself: in whichever way it is made blind (a comparison that takes out what differs, a helper that takes any failure, an
 * assertion on one branch), it passes where it should not.
 */
export async function otherAnswers(terms: FurtherTerms, { seconds }: MutantSettings): Promise<Further> {
  const { subject, run } = terms;
  const touched = await touchedTests(subject);
  if (touched.length === 0 || run.cases === null) return NOTHING;
  const isOfPatch = await testsOfPatch(subject);
  const mine = run.cases.filter((test) => test.outcome === 'passed' && isOfPatch(test));
  if (mine.length === 0) return NOTHING;
  const budget = new Budget(seconds);
  const named = await wordsOf(subject, touched);
  const onTree = async (tree: string, how: Instead): Promise<ReadonlyMap<string, TestResult> | null> => {
    if (budget.isSpent) return null;
    const other = await comingTo(subject, tree, how, named);
    if (other === null) return null;
    const came = budget.spend(await terms.again(other, { limitMs: limitFor(run) }));
    return came.cases === null ? null : byId(came.cases);
  };
  const own = await withOnly(subject, subject.tree, touched);
  const tried: string[] = [];
  const known = new Map<string, ReturnType<Asked>>();
  const asked: Asked = (tree, how) => {
    const key = `${how} ${tree}`;
    const came = known.get(key) ?? onTree(tree, how);
    if (!known.has(key)) tried.push(how);
    known.set(key, came);
    return came;
  };
  const old = await oldTests(subject);
  const seen = [
    ...(await thrownAway(mine, (how) => asked(own, how))),
    ...(old === null ? [] : await asksLess(terms, mine, old, own, asked)),
    ...(old === null ? [] : await mindedBefore(terms, old, own, asked)),
  ];
  return { seen, facts: { other_answers: tried.length } };
}

/**
 * Tests that see an answer, and pass all the same where there is a failure in its place: they throw it away. One that wants a failure
 * sees none where there is none.
 */
async function thrownAway(
  mine: readonly TestResult[],
  asked: (how: Instead) => ReturnType<Asked>,
): Promise<GateFinding[]> {
  const passing = idsOf(await asked('fails'), 'passed');
  if (!mine.some((test) => passing.has(computeTestId(test)))) return [];
  const answered = idsOf(await asked('nothing'), 'failed');
  const suspects = mine.filter(
    (test) => passing.has(computeTestId(test)) && answered.has(computeTestId(test)),
  );
  if (suspects.length === 0) return [];
  const indifferent = idsOf(await asked('no failure'), 'passed');
  return suspects
    .filter((test) => indifferent.has(computeTestId(test)))
    .map((test) => testFinding(test, { rule: 'run_failure_thrown_away' }, 'unclear'));
}

/** Tests of the base that mind, and do not mind in the version of the patch. */
async function asksLess(
  { subject, again }: FurtherTerms,
  mine: readonly TestResult[],
  old: OldTests,
  own: string,
  asked: Asked,
): Promise<GateFinding[]> {
  const tree = await old.tree();
  // Tests that are new were never stronger.
  const before = await again(tree);
  if (before.cases === null) return [];
  const passedBefore = new Set(
    before.cases.flatMap((test) => (test.outcome === 'passed' ? [computeTestId(test)] : [])),
  );
  const kept = mine.filter((test) => passedBefore.has(computeTestId(test)));
  if (kept.length === 0) return [];
  const bodies = await bodiesOf(subject);
  const found: GateFinding[] = [];
  for (const how of ALL_COMPARED) {
    const now = await asked(own, how);
    const passing = idsOf(now, 'passed');
    const blind = kept.filter((test) => passing.has(computeTestId(test)));
    if (now === null || blind.length === 0) continue;
    const minding = idsOf(await asked(tree, how), 'failed');
    const less = blind.filter((test) => minding.has(computeTestId(test)));
    // What a test asked may be asked by a new one beside it.
    const fresh = [...idsOf(now, 'failed')].filter(
      (id) => !before.cases?.some((test) => computeTestId(test) === id),
    );
    for (const test of less)
      found.push(
        testFinding(
          test,
          {
            rule: 'run_test_asks_less',
            mutation: COMPARED[how],
            noticedOn: 'new_code',
            replacement: null,
          },
          fresh.length > 0 ? 'reported' : 'unclear',
          bodies.after(test)?.line,
        ),
      );
  }
  return found;
}

/** The words of tests that the patch touches, on both sides. */
async function wordsOf(subject: PatchSubject, touched: readonly string[]): Promise<ReadonlySet<string>> {
  const { texts } = await bodiesOf(subject);
  const own = texts.filter(({ path }) => touched.includes(path));
  return new Set(
    own.flatMap(({ before, after }) => `${before ?? ''}\n${after ?? ''}`.match(/[\p{L}\p{N}_$]+/gu) ?? []),
  );
}
