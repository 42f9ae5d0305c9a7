import type { MutantSettings } from '../../../core/behaviour-settings.ts';
import { findingOf } from '../engine/findings.ts';
import { bodiesOf, changedCases } from './bodies.ts';
import { projectWithin, withOnly } from './narrowed.ts';
import { type OldTests, oldTests } from './old-tests.ts';
import { failedIn, onMutants, tellsLess } from './on-mutants.ts';
import { cameUp, runInto } from './put-into.ts';
import { type Further, type FurtherTerms, NOTHING } from './terms.ts';

/**
 * Whether changed tests ask for less: a test of the base notices changes of what it tests, and most of them are noticed by nothing of
 * the patch.
 */
export async function runWeakened(terms: FurtherTerms, settings: MutantSettings): Promise<Further> {
  const { subject } = terms;
  const old = await oldTests(subject);
  if (old === null) return NOTHING;
  const tests = old.kept;
  const project = tests.length === 0 ? null : await projectWithin(subject);
  if (project === null) return NOTHING;
  const base = await loadable(old, terms);
  if (base === null) return NOTHING;
  const compared = await onMutants({
    ...terms,
    side: project.head,
    tree: subject.tree,
    tests,
    ...base,
    after: await withOnly(subject, subject.tree, old.touched),
    whole: subject.tree,
    settings,
  });
  const facts = { weakened_mutants_tried: compared.tried };
  for (const test of compared.tests) {
    const told = compared.of(test);
    const [mutant] = told.lost;
    if (!mutant || !tellsLess(told)) continue;
    return {
      seen: [
        findingOf({
          file: mutant.path,
          line: mutant.line,
          severity: 'unclear',
          cause: {
            rule: 'run_tests_weakened',
            mutant: mutant.says,
            tests,
            lost: told.lost.length,
            noticed: told.noticed,
          },
        }),
      ],
      facts,
    };
  }
  return { seen: [], facts };
}

/**
 * A tree of the new code in which changed tests of the base run, and those that fail there as it is. Where the base's file cannot be
 * loaded, its cases are put into the new one.
 */
async function loadable(
  old: OldTests,
  terms: FurtherTerms,
): Promise<{ readonly before: string; readonly failing: ReadonlySet<string> } | null> {
  const { subject, again } = terms;
  const before = await old.tree();
  const whole = await again(before);
  if (whole.outcome === 'passed') return { before, failing: new Set() };
  // Without names, those that fail would fail on any mutant too.
  if (whole.outcome !== 'failed' || terms.run.cases === null) return null;
  const bodies = await bodiesOf(subject);
  const changed = changedCases(bodies, old.tests);
  if (changed.some((each) => cameUp(whole, each)?.outcome === 'passed'))
    return { before, failing: failedIn(whole) };
  const [came] = (await runInto('patch', changed, { ...terms, bodies })).values();
  return came === undefined ? null : { before: came.tree, failing: failedIn(await again(came.tree)) };
}
