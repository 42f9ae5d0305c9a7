import type { GateFinding } from '../../core/gate-finding.ts';
import { BaselineOccurrences } from './baseline-occurrences.ts';

/** Something wrong in one file. */
export interface CodeIssue {
  readonly rule: string;
  /** What it is about, wherever it stands: the same key before and after is the same issue. */
  readonly key: string;
  readonly line: number;
  readonly message: string;
  /** It is worth knowing, and no reason to fail. */
  readonly isInformational?: boolean;
}

/** Issues of the new version; those that the old version has too, as often, were there before. */
export function compareCodeIssues(
  file: string,
  before: readonly CodeIssue[],
  after: readonly CodeIssue[],
): GateFinding[] {
  const known = new BaselineOccurrences(before.map(({ rule, key }) => `${rule} ${key}`));
  return after.map(({ rule, key, line, message, isInformational }) => {
    const isOld = known.takeOne(`${rule} ${key}`);
    return { file, line, rule, message, severity: isOld ? 'existing' : isInformational ? 'info' : 'error' };
  });
}
