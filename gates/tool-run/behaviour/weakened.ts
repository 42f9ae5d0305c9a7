import { projectWithin, withOnly } from './narrowed.ts';
import { oldTests } from './old-tests.ts';
import { onMutants, tellsLess } from './on-mutants.ts';
import type { MutantSettings } from './settings.ts';
import { type Further, type FurtherTerms, NOTHING } from './terms.ts';

/**
 * Whether changed tests ask for less: a test of the base notices changes of what it tests, and most of them are noticed by nothing of
 * the patch.
 */
export async function runWeakened(terms: FurtherTerms, settings: MutantSettings): Promise<Further> {
  const { subject, again } = terms;
  const old = await oldTests(subject);
  if (old === null) return NOTHING;
  const tests = old.kept;
  const project = tests.length === 0 ? null : await projectWithin(subject);
  if (project === null) return NOTHING;
  const before = await old.tree();
  // Where they fail on the code as it is, they would fail on any mutant too.
  if ((await again(before)).outcome !== 'passed') return NOTHING;
  const compared = await onMutants({
    ...terms,
    side: project.head,
    tree: subject.tree,
    tests,
    before,
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
        {
          file: mutant.path,
          line: mutant.line,
          rule: 'run_tests_weakened',
          message: `where ${mutant.says}, the base version of ${tests.join(', ')} notices it, and nothing of the patch does; so it is with ${told.lost.length} of the ${told.noticed} changes that one test noticed`,
          weight: 'unclear',
        },
      ],
      facts,
    };
  }
  return { seen: [], facts };
}
