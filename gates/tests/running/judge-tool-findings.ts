import { BaselineCount } from '../../code/parsing/baseline-count.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import type { ToolFinding } from '../../reports/tool-report.ts';
import type { AddedLines } from './added-lines.ts';

/**
 * Tells the patch's own complaints from those that were there before.
 * - `added_lines`: what stands on a line, or in a file without lines, that the patch wrote fails. Elsewhere it was there
 *   before when the base has the same, and is reported when it has not.
 * - `not_in_base`: what the base has not fails, wherever it stands. For what a change in one place breaks in another: types,
 *   tests, dependencies.
 */
export type NewFindingRule = 'added_lines' | 'not_in_base';

/** Whether a complaint stands where the patch wrote. */
export const isOnAddedLine = ({ file, line }: ToolFinding, added: AddedLines): boolean =>
  file === null || added.isAdded(file, line);

/** @param base complaints about the base commit, or null when nobody could get them: then none is taken to be old. */
export function judgeToolFindings(
  complaints: readonly ToolFinding[],
  blame: NewFindingRule,
  added: AddedLines,
  base: readonly ToolFinding[] | null,
): GateFinding[] {
  const known = new BaselineCount((base ?? []).map(({ key }) => key));
  return complaints.map((each): GateFinding => {
    const { key, ...finding } = each;
    if (blame === 'added_lines' && isOnAddedLine(each, added)) return { ...finding, severity: 'error' };
    return {
      ...finding,
      severity: known.takeOne(key) ? 'existing' : blame === 'added_lines' ? 'info' : 'error',
    };
  });
}
