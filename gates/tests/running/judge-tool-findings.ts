import { BaselineOccurrences } from '../../code/parsing/baseline-occurrences.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import { computeFindingKey, type ToolFinding } from '../../reports/tool-report.ts';
import type { AddedLines } from './added-lines.ts';

export interface ToolFindingBaseline {
  /** Findings about the base commit; null: the base could not be asked, and then no finding is taken to be old. */
  readonly baseline: readonly ToolFinding[] | null;
  /** Of several equal findings, those on lines of the patch are the new ones. */
  readonly addedLines?: AddedLines;
  /** Paths of renamed files: in the base, and in the patched tree. */
  readonly renamedPaths?: ReadonlyMap<string, string>;
}

/**
 * Tells new findings from those that the base has too: file, rule and message are compared, not lines. A message that quotes a line
 * number or a count is also recognised with another number, outside of the lines that the patch wrote.
 */
export function classifyToolFindings(
  findings: readonly ToolFinding[],
  { baseline, addedLines, renamedPaths }: ToolFindingBaseline,
): GateFinding[] {
  const base = (baseline ?? []).map((finding) => renamed(finding, renamedPaths));
  const exact = new BaselineOccurrences(base.map(({ key }) => key));
  const isOnAddedLine = ({ file, line }: ToolFinding): boolean =>
    file !== null && line !== null && (addedLines?.isAdded(file, line) ?? false);
  const old = new Set<number>();
  const indexes = [...findings.keys()];
  const isElsewhere = (at: number): boolean => !isOnAddedLine(findings[at] as ToolFinding);
  const elsewhere = indexes.filter(isElsewhere);
  for (const at of [...elsewhere, ...indexes.filter((each) => !isElsewhere(each))])
    if (exact.takeOne(findings[at]?.key ?? '')) old.add(at);
  // What is left of the base is compared without the numbers in its messages.
  const similar = new BaselineOccurrences(
    base.filter(({ key }) => exact.takeOne(key)).map(keyWithoutNumbers),
  );
  for (const at of elsewhere)
    if (!old.has(at) && similar.takeOne(keyWithoutNumbers(findings[at] as ToolFinding))) old.add(at);
  return findings.map(
    ({ key, ...finding }, at): GateFinding => ({ ...finding, severity: old.has(at) ? 'existing' : 'error' }),
  );
}

/** Key of a finding about a file without the numbers in its message; that of any other finding as it is. */
const keyWithoutNumbers = ({ file, rule, message, key }: ToolFinding): string =>
  file === null || key !== computeFindingKey(file, rule, message)
    ? key
    : computeFindingKey(file, rule, message.replaceAll(/\d+/g, '#'));

/** The finding as the patched tree would have it, where the patch only moved its file. */
function renamed(finding: ToolFinding, paths: ReadonlyMap<string, string> | undefined): ToolFinding {
  const { file, rule, message, key } = finding;
  const path = file === null ? undefined : paths?.get(file);
  if (path === undefined || key !== computeFindingKey(file, rule, message)) return finding;
  return { ...finding, file: path, key: computeFindingKey(path, rule, message) };
}
