import type { ChangedCodeFile } from '../../code/changed-code.ts';
import { type CodeIssue, compareCodeIssues } from '../../code/parsing/code-issue.ts';
import type { GateContext } from '../../core/gate.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import { type Language, languageOfGrammar } from '../../core/language.ts';
import type { ExtraTool, GATES_WITH_EXTRA_TOOLS } from '../../languages/language-tool.ts';
import { languageOfPath } from '../../languages/languages.ts';
import { REPORT_READERS } from '../../reports/report-readers.ts';
import type { ToolFinding } from '../../reports/tool-report.ts';
import { runMeasurement } from '../measure/run-measurement.ts';
import { hasToolMarkerFile, LANGUAGE_PROFILES } from '../running/choose-tools.ts';
import { findToolVersion } from '../running/tool-version.ts';

interface ExtraToolRequest {
  readonly gate: (typeof GATES_WITH_EXTRA_TOOLS)[number];
  /** Variables of the tools' lines; null for what nobody knows. */
  readonly variables: Readonly<Record<string, string | null>>;
}

/**
 * What the tools of the languages say about the changed files, and what they did not say about the base, beside what we saw
 * ourselves. A tool that is not here, or that broke, takes nothing away from that; `notes` says so.
 */
export async function mergeToolFindings(
  { subject, timeoutMs }: GateContext,
  own: readonly GateFinding[],
  changed: readonly ChangedCodeFile[],
  { gate, variables }: ExtraToolRequest,
): Promise<{ readonly seen: readonly GateFinding[]; readonly notes: Readonly<Record<string, string>> }> {
  const seen: GateFinding[] = [];
  const notes: Record<string, string> = {};
  const instead = new Map<Language, readonly string[]>();
  for (const { language, extraTools } of Object.values(LANGUAGE_PROFILES)) {
    const tool = extraTools?.[gate];
    const files = changed.filter(
      ({ after }) => after !== null && languageOfGrammar(after.grammar) === language,
    );
    if (tool === undefined || files.length === 0 || !(await isUsed(tool, subject, variables))) continue;
    const version = await findToolVersion(subject.sandboxes, subject.base, tool);
    notes[tool.name] = version ?? 'not here';
    if (version === null) continue;
    const look = async (tree: string, paths: readonly string[]): Promise<readonly ToolFinding[] | null> => {
      const { reportText, exitCode, checkoutRoot } = await runMeasurement(tree, {
        sandboxes: subject.sandboxes,
        line: `${exportLines(variables)}${tool.line}`,
        files: paths,
        timeoutMs,
      });
      return reportText === null || exitCode === null || !tool.successExitCodes.includes(exitCode)
        ? null
        : parseToolReport(tool, reportText, checkoutRoot);
    };
    const after = await look(
      subject.tree,
      files.flatMap(({ after: file }) => file?.path ?? []),
    );
    // Where all of the files are new, or nothing is said of the patch, there is nothing to ask the base.
    const then = after?.length === 0 ? [] : files.flatMap(({ before: file }) => file?.path ?? []);
    const before = then.length === 0 ? [] : await look(subject.base, then);
    if (before === null || after === null) {
      notes[tool.name] = `${version}, gave no report`;
      continue;
    }
    instead.set(language, tool.replacedRules ?? []);
    for (const { path, before: was } of files)
      for (const each of compareCodeIssues(path, issuesOfFile(before, was?.path), issuesOfFile(after, path)))
        seen.push(each);
  }
  const isAnswered = ({ file, rule }: GateFinding): boolean => {
    const language = file === null ? null : languageOfPath(file);
    return language !== null && instead.get(language)?.includes(rule) === true;
  };
  return { seen: [...own.filter((each) => !isAnswered(each)), ...seen], notes };
}

const exportLines = (variables: ExtraToolRequest['variables']): string =>
  Object.entries(variables)
    .map(([name, value]) => `export ${name}='${value ?? ''}'; `)
    .join('');

const issuesOfFile = (all: readonly ToolFinding[], path: string | undefined): CodeIssue[] =>
  all.flatMap(({ file, rule, line, message }) =>
    file === path ? [{ rule, key: message, line: line ?? 1, message }] : [],
  );

async function parseToolReport(
  { format, ruleMapping }: ExtraTool,
  text: string,
  root: string,
): Promise<readonly ToolFinding[] | null> {
  const read = await REPORT_READERS[format]();
  try {
    const { findings } = read(text, root);
    if (!ruleMapping) return findings;
    return findings.flatMap((each) => {
      const meant = ruleMapping.find(
        ({ rule, says }) => rule.test(each.rule) && (says?.test(each.message) ?? true),
      );
      return meant ? [{ ...each, rule: meant.as }] : [];
    });
  } catch {
    return null;
  }
}

const isUsed = async (
  { signs, requiredVariable }: ExtraTool,
  subject: GateContext['subject'],
  variables: ExtraToolRequest['variables'],
): Promise<boolean> =>
  (requiredVariable === undefined || typeof variables[requiredVariable] === 'string') &&
  (signs.length === 0 || (await hasToolMarkerFile(subject, signs)));
