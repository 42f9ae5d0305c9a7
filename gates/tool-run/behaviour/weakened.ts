import { listFiles } from '../../checkout/list.ts';
import { moduleOf, reachable } from '../../code/imports.ts';
import type { Project } from '../../code/project.ts';
import { eachMutant, limitFor, mutableFiles, noticed } from '../mutants/try.ts';
import { projectWithin, withOnly } from './narrowed.ts';
import { oldTests } from './old-tests.ts';
import type { MutantSettings } from './settings.ts';
import { type Further, type FurtherTerms, NOTHING } from './terms.ts';

/**
 * Whether changed tests ask for less: a change of the code under test that their base version notices, and the patch's does not. No
 * reading tells that, whatever the words.
 */
export async function runWeakened(
  terms: FurtherTerms,
  { seconds, atMost }: MutantSettings,
): Promise<Further> {
  const { subject, run, again } = terms;
  const old = oldTests(subject);
  if (old === null) return NOTHING;
  const paths = old.kept;
  const project = paths.length === 0 ? null : await projectWithin(subject);
  if (project === null) return NOTHING;
  const before = await old.tree();
  // Where they fail on the code as it is, they would fail on any mutant too.
  if ((await again(before)).outcome !== 'passed') return NOTHING;
  const now = await withOnly(subject, subject.tree, old.touched);
  const under = underTest(project, paths);
  const sources = (await listFiles(subject.store, subject.tree)).filter(({ path }) => under.has(path));
  const files = await mutableFiles(subject, sources, () => true);
  const limit = { limitMs: limitFor(run) };
  let tried = 0;
  const until = performance.now() + seconds * 1_000;
  for await (const mutant of eachMutant({ store: subject.store, files, most: atMost, until })) {
    // What takes too long was not noticed by a test: the machine may be slow.
    if ((await again(await mutant.in(before), limit)).outcome !== 'failed') continue;
    tried++;
    if (noticed(await again(await mutant.in(now), limit)) !== false) continue;
    // A test that stays as it is may notice it as well: then nothing is lost.
    if (noticed(await again(await mutant.in(subject.tree), limit)) !== false) continue;
    return {
      seen: [
        {
          file: mutant.path,
          line: mutant.line,
          rule: 'run_tests_weakened',
          message: `where ${mutant.says}, the base version of ${paths.join(', ')} notices it, and the patch's does not`,
          weight: 'unclear',
        },
      ],
      facts: { weakened_mutants_tried: tried },
    };
  }
  return { seen: [], facts: { weakened_mutants_tried: tried } };
}

/** Files that tests import, directly or through others. */
function underTest({ head }: Project, tests: readonly string[]): ReadonlySet<string> {
  const modules = reachable(tests.map(moduleOf), (from) =>
    (head.graph.from.get(from) ?? []).map(({ to }) => to),
  );
  return new Set([...modules].flatMap((module) => head.filesOf(module).map(({ path }) => path)));
}
