import type { GateFinding } from '../../../core/gate-finding.ts';
import { computeTestId } from '../../../core/test-result.ts';
import { testFinding } from '../engine/findings.ts';
import type { Instead } from '../mutants/instead/instead.ts';
import { ALL_COMPARED, type Asked, byId, COMPARED, type Compared, idsOf } from './asked.ts';
import { bodiesOf, changesEquality } from './bodies.ts';
import { withOnly } from './narrowed.ts';
import type { OldTests } from './old-tests.ts';
import { successorsOf } from './successors.ts';
import type { FurtherTerms } from './terms.ts';

/** What is minded of values is no loss where failures are minded in their place, and the other way round: the code has come to something else. */
const IN_ITS_PLACE = {
  'other value': ['other failure', 'no failure'],
  'other failure': ['other value', 'nothing'],
} as const satisfies Record<Compared, readonly Instead[]>;

/**
 * Tests of the base that mind on the code of the base, where on the new code neither they nor what took their place does. One that is
 * written as it was is asked where the patch changes what the code calls equal: that may take more for the same now.
 */
export async function mindedBefore(
  { subject, again, run, difference }: FurtherTerms,
  old: OldTests,
  own: string,
  asked: Asked,
): Promise<GateFinding[]> {
  const base = await withOnly(subject, subject.base, old.tests);
  const passed = idsOf(byId((await again(base)).cases), 'passed');
  const bodies = await bodiesOf(subject);
  const otherEquality = await changesEquality(bodies);
  const now = byId(run.cases);
  const gone = byId(difference.gone);
  const added = new Set(difference.added.map(computeTestId));
  const isAsItWas = (id: string): boolean => {
    const test = now.get(id);
    return test !== undefined && bodies.before(test)?.text === bodies.after(test)?.text;
  };
  const takers = (id: string): string[] => {
    const test = gone.get(id);
    if (test === undefined) return now.has(id) && (otherEquality || !isAsItWas(id)) ? [id] : [];
    return successorsOf(test, difference, bodies).map(computeTestId);
  };
  const found: GateFinding[] = [];
  for (const how of passed.size === 0 ? [] : ALL_COMPARED) {
    const came = await asked(own, how);
    const [blind, minding] = [idsOf(came, 'passed'), idsOf(came, 'failed')];
    // Where nothing minds, what the code answers may be nothing that can be changed.
    if (how === 'other value' && minding.size === 0 && !otherEquality) continue;
    const isBlind = (id: string): boolean => {
      const these = takers(id);
      return these.length > 0 && these.every((each) => blind.has(each));
    };
    if (![...passed].some(isBlind)) continue;
    const before = idsOf(await asked(base, how), 'failed');
    for (const id of [...before].filter((each) => passed.has(each) && isBlind(each))) {
      if (await isMindedOtherwise(id, takers(id), IN_ITS_PLACE[how], { own, base, asked })) continue;
      const test = gone.get(id) ?? now.get(id);
      const [taker] = takers(id).map((each) => now.get(each));
      if (!test || !taker) continue;
      const isAskedBeside = !isAsItWas(id) && [...minding].some((each) => added.has(each));
      found.push(
        testFinding(
          { file: taker.file, name: test.name },
          {
            rule: 'run_test_asks_less',
            mutation: COMPARED[how],
            noticedOn: 'old_code',
            replacement: taker.name === test.name ? null : taker.name,
          },
          isAskedBeside ? 'reported' : 'unclear',
          bodies.after(taker)?.line,
        ),
      );
    }
  }
  return found;
}

async function isMindedOtherwise(
  id: string,
  takers: readonly string[],
  others: readonly Instead[],
  { own, base, asked }: { readonly own: string; readonly base: string; readonly asked: Asked },
): Promise<boolean> {
  for (const other of others) {
    const minded = idsOf(await asked(own, other), 'failed');
    if (takers.some((each) => minded.has(each)) && !idsOf(await asked(base, other), 'failed').has(id))
      return true;
  }
  return false;
}
