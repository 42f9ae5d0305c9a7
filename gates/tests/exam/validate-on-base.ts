import type { DropReason, Exam, NotRunReason } from '../../../shared/contract/exam.ts';
import type { HiddenTestFiles } from '../../core/hidden-tests-result.ts';
import type { ObservedState } from './run-exam-tests.ts';

/** Runs on the base before anything of the patch runs. */
export const BASE_RUNS = 3;

/** What the base says about one point: whether it behaves in every run as its author said. */
export type PointOnBase =
  | { readonly valid: true }
  | { readonly valid: false; readonly reason: DropReason }
  | { readonly valid: false; readonly notRun: NotRunReason };

/** Decides about one point from its states in all runs on the base. */
export function decidePointOnBase(
  expected: Exam['points'][number]['on_base'],
  states: readonly ObservedState[],
): PointOnBase {
  if (states.includes('timed_out')) return { valid: false, notRun: 'timed_out' };
  if (states.includes('could_not_run')) return { valid: false, notRun: 'could_not_run' };
  const [first] = states;
  if (first === undefined || states.some((state) => isFailure(state) !== isFailure(first)))
    return { valid: false, reason: 'flaky_on_base' };
  if (states.some((state) => state === 'not_reported' || state === 'skipped'))
    return { valid: false, reason: 'not_found_on_base' };
  if (expected === 'fails')
    return isFailure(first) ? { valid: true } : { valid: false, reason: 'passes_on_base' };
  return first === 'passed' ? { valid: true } : { valid: false, reason: 'fails_on_base' };
}

/** Why an exam says nothing of any patch. */
export type ExamDefect = 'no_valid_point' | 'shows_no_change';

/** Returns why an exam cannot be used, by what the base says about its points; null: it can. */
export function findExamDefect(
  { points, keeps_behaviour }: Pick<Exam, 'points' | 'keeps_behaviour'>,
  onBase: readonly PointOnBase[],
): ExamDefect | null {
  if (points.length === 0) return null;
  const isValid = (index: number): boolean => onBase[index]?.valid === true;
  if (!keeps_behaviour && !points.some(({ on_base }, index) => on_base === 'fails' && isValid(index)))
    return 'shows_no_change';
  return points.some((_, index) => isValid(index)) ? null : 'no_valid_point';
}

/** A test that cannot be loaded on the base fails there: it may use what the task asks for. */
export const isFailure = (state: ObservedState): boolean => state === 'failed' || state === 'not_loaded';

/** Paths of test files that the base has: an exam adds files and replaces none. */
export const listOverwrittenPaths = (files: HiddenTestFiles, basePaths: ReadonlySet<string>): string[] =>
  files.flatMap(({ path }) => (basePaths.has(path) ? [path] : []));
