import { isTestPath } from '../../../core/test-paths.ts';
import { computeTestId } from '../../../core/test-result.ts';
import type { CommandRun } from '../../running/command-run.ts';
import { Budget } from '../mutants/budget.ts';
import { limitFor } from '../mutants/try.ts';
import type { Bodies } from './bodies.ts';
import { withOnly } from './narrowed.ts';

import type { OldTests } from './old-tests.ts';
import type { Came } from './put-into.ts';
import { partsOf, type TakenBack } from './taken-back.ts';
import type { Known } from './terms.ts';

/** Most parts of a patch that are taken back. */
const MOST = 8;

/** A test of the base that fails on the new code, and the tree that it ran in. */
export type OldFailure = Came;

export interface TakenUp {
  /** The part that makes a test of the base fail, and that no test of the patch asks for; by the failure. */
  readonly missed: ReadonlyMap<OldFailure, TakenBack>;
  /** Failures of which one part is the cause, and a test of the patch asks for it. */
  readonly asked: ReadonlySet<OldFailure>;
  readonly tried: number;
}

/**
 * Asks whether the tests of the patch take up what makes tests of the base fail: parts of the patch's code are taken back, one at a
 * time. Where a test of the base passes again, that part is why it fails, and who changed what is expected asks for it.
 */
export async function takenUp(
  failures: readonly OldFailure[],
  old: OldTests,
  { subject, bodies, again, run, mutants }: Known,
): Promise<TakenUp> {
  const missed = new Map<OldFailure, TakenBack>();
  const asked = new Set<OldFailure>();
  const gone = wordsGone(bodies);
  // What a test cannot name any more it cannot be asked about: its interface is another.
  const asking = failures.filter(
    ({ test }) => ![...(bodies.before(test)?.identifiers ?? [])].some((name) => gone.has(name)),
  );
  if (asking.length === 0 || mutants === null) return { missed, asked, tried: 0 };
  const limit = { limitMs: limitFor(run) };
  const budget = new Budget(mutants.seconds);
  const ask = async (part: TakenBack, tree: string): Promise<CommandRun> =>
    budget.spend(await again(await part.in(tree), limit));
  const touched = await withOnly(subject, subject.tree, old.touched);
  const isNoticed = async (part: TakenBack): Promise<boolean> => {
    if ((await ask(part, touched)).outcome !== 'passed') return true;
    return (await ask(part, subject.tree)).outcome !== 'passed';
  };
  let tried = 0;
  const parts = (await partsOf(subject, bodies)).slice(0, MOST);
  for (const part of parts) {
    const open = asking.filter((each) => !missed.has(each) && !asked.has(each));
    if (open.length === 0 || budget.isSpent) break;
    tried++;
    const passing: OldFailure[] = [];
    for (const tree of new Set(open.map((each) => each.tree))) {
      const { cases } = await ask(part, tree);
      const passes = new Set(
        (cases ?? []).flatMap((test) => (test.outcome === 'passed' ? [computeTestId(test)] : [])),
      );
      passing.push(...open.filter((each) => each.tree === tree && passes.has(computeTestId(each.test))));
    }
    if (passing.length === 0) continue;
    const isAsked = await isNoticed(part);
    for (const each of passing)
      if (!isAsked) missed.set(each, part);
      // Without all that it does any test of the patch fails, whatever it asks for.
      else if (parts.length > 1) asked.add(each);
  }
  return { missed, asked, tried };
}

/** Words that a file of code had, and has no more. */
function wordsGone({ texts }: Bodies): ReadonlySet<string> {
  const gone = new Set<string>();
  for (const { path, basePath, before, after } of texts) {
    if (before === null || isTestPath(basePath ?? path)) continue;
    const left = new Set(wordsOf(after ?? ''));
    for (const word of wordsOf(before)) if (!left.has(word)) gone.add(word);
  }
  return gone;
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}_$]+/gu) ?? [];
