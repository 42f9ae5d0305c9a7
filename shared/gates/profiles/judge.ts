import type { Seen } from '../code/seen.ts';
import type { Complaint } from '../formats/report.ts';
import type { AddedLines } from './added-lines.ts';

/**
 * Tells the patch's own complaints from those that were there before.
 * - `added_lines`: on a line, or in a file without lines, that the patch wrote. What stands elsewhere was there before.
 * - `not_in_base`: the base has fewer of the same. For what a change in one place breaks in another: types, tests,
 *   dependencies.
 */
export type Blame = 'added_lines' | 'not_in_base';

/**
 * @param base complaints about the base commit, or null when nobody could get them: then all are the patch's.
 * @param blame `added_lines` blames a complaint on a written line even when the base has the same.
 */
export function judged(
  complaints: readonly Complaint[],
  blame: Blame,
  added: AddedLines,
  base: readonly Complaint[] | null,
): Seen[] {
  const left = new Map<string, number>();
  for (const { key } of base ?? []) left.set(key, (left.get(key) ?? 0) + 1);
  return complaints.map(({ key, ...finding }): Seen => {
    if (blame === 'added_lines') {
      const own = finding.file === null || added.has(finding.file, finding.line);
      return { ...finding, weight: own ? 'fails' : 'before' };
    }
    const count = left.get(key) ?? 0;
    if (count > 0) left.set(key, count - 1);
    return { ...finding, weight: count > 0 ? 'before' : 'fails' };
  });
}
