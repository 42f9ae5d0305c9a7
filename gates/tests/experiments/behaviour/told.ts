import type { GateFinding } from '../../../core/gate-finding.ts';
import { testFinding } from '../engine/findings.ts';
import { type Bodies, bodiesOf, goneSubject } from './bodies.ts';
import { type ExecutedDifference, executedDifference, type LostTest } from './executed.ts';
import { oldFailures } from './old-failures.ts';
import { oldTests } from './old-tests.ts';
import { type BehaviourTerms, type Further, NOTHING, type TestsForeseen, weightOf } from './terms.ts';

/** How much is known of what ran; the first is the strongest. */
type Compared = 'by name' | 'exit code only';

export interface Told {
  readonly seen: readonly GateFinding[];
  readonly compared: Compared;
  readonly difference: ExecutedDifference;
  /** Test files of the base that ran on the new code; null: there was no need. */
  readonly oldTests: number | null;
  readonly facts: Further['facts'];
}

/**
 * What runs tell of a patch whose own tests pass: tests that passed on the base and are gone, and tests of the base that fail on the
 * new code. Rules that read are asked only about a test of the base that fails: whether its new version asks less.
 */
export async function toldByRuns(terms: BehaviourTerms): Promise<Told> {
  const { subject, run } = terms;
  const old = await oldTests(subject);
  // Without names there is nothing to compare, and where no test differs nothing to ask.
  const base = run.cases === null && old === null ? null : await terms.base();
  const bodies = await bodiesOf(subject);
  const named = run.cases !== null && base?.cases != null;
  const difference = executedDifference(
    base?.cases ?? [],
    named ? (run.cases ?? []) : (base?.cases ?? []),
    bodies,
  );
  const known = { ...terms, bodies, difference, onBase: base };
  const failed = old === null ? NOTHING : await oldFailures(old, known);
  return {
    seen: [...difference.lost.map((each) => lostTest(each, terms.foreseen, bodies)), ...failed.seen],
    facts: failed.facts,
    difference,
    compared: named ? 'by name' : 'exit code only',
    oldTests: old === null ? null : old.tests.length,
  };
}

function lostTest({ test, how }: LostTest, foreseen: TestsForeseen, bodies: Bodies): GateFinding {
  const subject = how === 'skipped' ? null : goneSubject(test, bodies);
  if (subject !== null)
    return testFinding(
      test,
      { rule: 'run_test_gone_with_subject', subject },
      foreseen?.size === 0 ? 'unclear' : 'reported',
    );
  const rule = how === 'skipped' ? 'run_test_skipped' : 'run_test_lost';
  return testFinding(test, { rule }, weightOf(foreseen, 'tests_change'));
}

/** Facts for the record. */
export const factsOf = ({ compared, oldTests: files, facts }: Told): Record<string, string | number> => ({
  tests_compared: compared,
  ...(files === null ? {} : { old_test_files: files }),
  ...facts,
});
