import { ThereBefore } from '../../code/parsing/there-before.ts';
import type { Seen } from '../../core/seen.ts';
import type { Complaint } from '../../reports/report.ts';
import type { AddedLines } from './added-lines.ts';

/**
 * Tells the patch's own complaints from those that were there before.
 * - `added_lines`: what stands on a line, or in a file without lines, that the patch wrote fails. Elsewhere it was there
 *   before when the base has the same, and is reported when it has not.
 * - `not_in_base`: what the base has not fails, wherever it stands. For what a change in one place breaks in another: types,
 *   tests, dependencies.
 */
export type Blame = 'added_lines' | 'not_in_base';

/** Whether a complaint stands where the patch wrote. */
export const isOwn = ({ file, line }: Complaint, added: AddedLines): boolean =>
  file === null || added.has(file, line);

/** @param base complaints about the base commit, or null when nobody could get them: then none is taken to be old. */
export function judged(
  complaints: readonly Complaint[],
  blame: Blame,
  added: AddedLines,
  base: readonly Complaint[] | null,
): Seen[] {
  const known = new ThereBefore((base ?? []).map(({ key }) => key));
  return complaints.map((each): Seen => {
    const { key, ...finding } = each;
    if (blame === 'added_lines' && isOwn(each, added)) return { ...finding, weight: 'fails' };
    return {
      ...finding,
      weight: known.take(key) ? 'before' : blame === 'added_lines' ? 'reported' : 'fails',
    };
  });
}
