import { computeTestId, type TestResult } from '../../../core/test-result.ts';
import { switchedOff } from '../mutants/switch-off.ts';
import { limitFor } from '../mutants/try.ts';
import { projectWithin, withOnly } from './narrowed.ts';
import type { OldTests } from './old-tests.ts';
import { type Comparison, onMutants } from './on-mutants.ts';
import type { BehaviourTerms } from './terms.ts';

type Named = Pick<TestResult, 'file' | 'name'>;

/**
 * Asks whether a test of the patch, which passes on the old code as its base version does, tells as much as that: it notices all
 * that that notices of changes to the old code, and on the new code it notices that nothing works any more. Then it is written in
 * another way, as for an interface that has become asynchronous, and not weaker. `tree` is the one of the old code in which it passes.
 */
export function tellsAsMuch(
  old: OldTests,
  terms: BehaviourTerms,
): (before: Named, now: Named, tree: string, isRead: boolean) => Promise<boolean> {
  const compared = new Map<string, Promise<Comparison | null>>();
  let noticing: Promise<ReadonlySet<string>> | null = null;
  return async (before, now, tree, isRead) => {
    const comparing = compared.get(tree) ?? onOldCode(old, terms, tree);
    compared.set(tree, comparing);
    const comparison = await comparing;
    // Where nobody sees what has changed of the test itself, as with its helpers, a few mutants say too little.
    if (comparison === null || !(isRead || comparison.whole)) return false;
    const told = comparison.of(computeTestId(before), computeTestId(now));
    if (told.noticed === 0 || told.lost.length > 0) return false;
    noticing ??= noticedWhereNothingWorks(old, terms);
    return (await noticing).has(computeTestId(now));
  };
}

async function onOldCode(old: OldTests, terms: BehaviourTerms, after: string): Promise<Comparison | null> {
  const { subject, mutants } = terms;
  const project = mutants === null ? null : await projectWithin(subject);
  if (project === null || mutants === null) return null;
  return onMutants({
    ...terms,
    side: project.base,
    tree: subject.base,
    tests: old.tests,
    before: await withOnly(subject, subject.base, old.tests),
    after,
    whole: null,
    settings: mutants,
  });
}

async function noticedWhereNothingWorks(
  old: OldTests,
  { subject, run, again }: BehaviourTerms,
): Promise<ReadonlySet<string>> {
  const off = await switchedOff(subject, subject.tree, 'nothing');
  if (off === null) return new Set();
  const { cases } = await again(await withOnly(subject, off, old.touched), { limitMs: limitFor(run) });
  return new Set((cases ?? []).flatMap((test) => (test.outcome === 'failed' ? [computeTestId(test)] : [])));
}
