import type { RevisionCode } from '../../../code/project-code.ts';
import { computeTestId } from '../../../core/test-result.ts';
import type { CommandRun } from '../../running/command-run.ts';
import { SIDE_FILE_PLACEHOLDER } from '../../running/run-command-line.ts';
import { ALL_ASKED } from '../mutants/moved/extent.ts';
import { computingFiles } from '../mutants/moved/pure.ts';
import { type Answers, MOVED, watched } from '../mutants/moved/watched.ts';
import { limitFor } from '../mutants/try.ts';
import { type AskedOnce, answersOf, askedIn, failed } from './learnt-answers.ts';
import { projectWithin, withOnly } from './narrowed.ts';
import type { OldTests } from './old-tests.ts';
import type { OldFailure } from './taken-up.ts';
import type { Known } from './terms.ts';

/**
 * Failures of the base's tests on the new code that are there because of single values: where the code answers to these what the base
 * did, and to all others what it does now, those tests pass, and so do all of the patch. Then nobody asks any more about what they
 * asked about: rows of a table that are gone, or a generator that makes up other values. In Python and JavaScript, for functions that
 * only compute.
 */
export async function unasked(
  failures: readonly OldFailure[],
  old: OldTests,
  { subject, again, run }: Known,
): Promise<ReadonlySet<OldFailure>> {
  const none: ReadonlySet<OldFailure> = new Set();
  if (failures.length === 0 || !old.tests.some((path) => /\.(?:py|[cm]?[jt]sx?)$/.test(path))) return none;
  const project = await projectWithin(subject);
  if (project === null) return none;
  const on = async (
    tree: string,
    side: RevisionCode,
    answers: Answers = new Map(),
  ): Promise<CommandRun | null> => {
    const computing = await computingFiles(subject, side);
    const made =
      computing.size === 0 ? null : await watched(subject, tree, computing, { answers, extent: ALL_ASKED });
    return made === null
      ? null
      : again(made, { limitMs: limitFor(run), surroundings: { [MOVED]: SIDE_FILE_PLACEHOLDER } });
  };
  const first = await on(await withOnly(subject, subject.base, old.tests), project.base);
  const before = askedIn(first?.sideFileText ?? '').filter(({ came }) => !failed(came));
  if (before.length === 0) return none;
  const answers = answersOf(before);
  const was = new Map(before.map((each) => [keyOf(each), each.came]));
  const found = new Set<OldFailure>();
  for (const tree of new Set(failures.map((each) => each.tree))) {
    const told = await on(tree, project.head, answers);
    const isOtherwise = askedIn(told?.sideFileText ?? '').some(
      (each) => (was.get(keyOf(each)) ?? each.came) !== each.came,
    );
    const passing = new Set(
      (told?.cases ?? []).flatMap((test) => (test.outcome === 'passed' ? [computeTestId(test)] : [])),
    );
    for (const each of failures)
      if (isOtherwise && each.tree === tree && passing.has(computeTestId(each.test))) found.add(each);
  }
  if (found.size === 0) return none;
  for (const tree of [await withOnly(subject, subject.tree, old.touched), subject.tree])
    if ((await on(tree, project.head, answers))?.outcome !== 'passed') return none;
  return found;
}

const keyOf = ({ function: name, with: what }: AskedOnce): string => `${name}\0${what}`;
