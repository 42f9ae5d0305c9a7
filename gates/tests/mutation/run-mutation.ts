import type { Finding } from '../../../shared/contract/evidence/schema.ts';
import { toDisplayPath } from '../../../workspace/git/path-encoding.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import type { Language } from '../../core/language.ts';
import { createUnmeasuredResult, type Measurement, runMeasurement } from '../measure/run-measurement.ts';
import { groupFilesByProject, joinFolder, MAX_TOOL_FOLDERS } from '../running/tool-folders.ts';
import { findToolVersion, missingToolMessage } from '../running/tool-version.ts';
import { type ToolResult, worstResult } from '../running/worst-result.ts';
import { type MutationReport, parseMutationReport } from './mutation-report.ts';
import { parseMutationScore } from './mutation-score-text.ts';
import { collectMutationReportLine, MUTATION_TOOLS, REPORT_SEPARATOR } from './mutation-tools.ts';

export interface MutationOptions {
  /** Command of the configuration; null: the tool of each language. */
  readonly command: string | null;
  /** Least share of mutants that the tests must notice, from 0 to 1. */
  readonly threshold: number;
  /** Code to change, by language. */
  readonly files: ReadonlyMap<Language, readonly string[]>;
}

/** Most survivors that are listed. */
const MAX_LISTED = 200;

type Metadata = NonNullable<GateResult['metadata']>;

/** Changes the code in small ways, and looks how many of the changes the tests notice. */
export async function runMutation(context: GateContext, options: MutationOptions): Promise<GateResult> {
  const { subject, timeoutMs } = context;
  const left = subject.sandboxes.startTimeLimit(timeoutMs);
  if (options.command !== null) {
    const files = [...options.files.values()].flat();
    const line = collectMutationReportLine(options.command);
    const measured = await runMeasurement(subject.tree, {
      sandboxes: subject.sandboxes,
      line,
      files,
      timeoutMs: left(),
    });
    return judgeMutation(measured, options, files, { command: options.command });
  }
  const parts: ToolResult[] = [];
  const beyond: string[] = [];
  for (const [language, all] of options.files) {
    const folders = [...(await groupFilesByProject(subject, language, all))];
    beyond.push(...folders.slice(MAX_TOOL_FOLDERS).map(([folder]) => folder));
    for (const [folder, paths] of folders.slice(0, MAX_TOOL_FOLDERS)) {
      const tool = MUTATION_TOOLS[language];
      const version = await findToolVersion(subject.sandboxes, subject.base, tool, folder);
      const metadata: Metadata = {
        tool: tool.name,
        tool_version: version,
        command: tool.line,
        ...(folder === '' ? {} : { folder: toDisplayPath(folder) }),
      };
      const add = (result: GateResult): void => {
        parts.push({ tool: tool.name, folder, result });
      };
      if (version === null) {
        add({
          outcome: 'could_not_run',
          kind: 'checked',
          findings: [],
          detail: missingToolMessage(tool),
          metadata,
        });
        continue;
      }
      // The tool knows its files by their place in the project.
      const files = folder === '' ? paths : paths.map((path) => path.slice(folder.length + 1));
      const place = { sandboxes: subject.sandboxes, line: tool.line, folder };
      const measured = await runMeasurement(subject.tree, { ...place, files, timeoutMs: left() });
      const result = judgeMutation(measured, options, files, metadata);
      const findings = result.findings.map((finding) =>
        finding.file === null ? finding : { ...finding, file: joinFolder(folder, finding.file) },
      );
      add({ ...result, findings });
    }
  }
  return worstResult(parts, beyond);
}

function judgeMutation(
  measured: Measurement,
  { threshold }: MutationOptions,
  files: readonly string[],
  metadata: Metadata,
): GateResult {
  if (measured.reportText === null) return createUnmeasuredResult(measured, metadata);
  const parts = measured.reportText.split(REPORT_SEPARATOR);
  const reports = parts.flatMap((part) => parseMutationReport(part) ?? []).map((whole) => only(whole, files));
  const [report = null] = reports.toSorted((a, b) => (shareOf(a) ?? 0) - (shareOf(b) ?? 0));
  const said = parts.length > 1 || report === null ? parseMutationScore(parts.at(-1) ?? '') : null;
  // A test of the patch can write and print as well as the tool can: the lowest score counts.
  const scores = [...reports.map(shareOf), said].filter((share) => share !== null);
  const score = scores.length > 0 ? Math.min(...scores) : null;
  if (report && report.killedCount + report.survivedCount === 0)
    return createCouldNotRunResult('no change could be made to this code', metadata);
  if (score === null) return withoutScore(measured, metadata);
  const percent = (share: number): string => `${Math.floor(share * 1_000) / 10} %`;
  return {
    outcome: score >= threshold ? 'passed' : 'failed',
    kind: 'executed',
    findings: survivors(report),
    detail: `the tests notice ${percent(score)} of the changes, and must notice ${percent(threshold)}`,
    metadata: {
      ...metadata,
      score,
      threshold,
      ...(report ? { killed: report.killedCount, survived: report.survivedCount } : {}),
    },
  };
}

const shareOf = ({ killedCount, survivedCount }: MutationReport): number | null =>
  killedCount + survivedCount > 0 ? killedCount / (killedCount + survivedCount) : null;

/** The part of a report that is about these files, where it says which is which. */
function only(report: MutationReport, files: readonly string[]): MutationReport {
  if (report.mutants === null || files.length === 0) return report;
  const wanted = report.mutants.filter(({ file }) =>
    files.some((path) => file === path || file.endsWith(`/${path}`)),
  );
  const killed = wanted.filter((mutant) => mutant.isKilled).length;
  return { killedCount: killed, survivedCount: wanted.length - killed, mutants: wanted };
}

const survivors = (report: MutationReport | null): Finding[] =>
  (report?.mutants ?? [])
    .filter(({ isKilled }) => !isKilled)
    .slice(0, MAX_LISTED)
    .map(({ file, line, description }) => ({
      file,
      line,
      rule: 'mutant_survived',
      message: `no test notices this change: ${description.slice(0, 200)}`,
    }));

const createCouldNotRunResult = (detail: string, metadata: Metadata): GateResult => ({
  outcome: 'could_not_run',
  kind: 'executed',
  findings: [],
  detail,
  metadata,
});

/**
 * A command whose score cannot be read may have a threshold of its own and say by its exit code that it was missed. That it ended well
 * says nothing: no mutant at all ends as well.
 */
const withoutScore = ({ exitCode, outcome, detail }: Measurement, metadata: Metadata): GateResult => {
  if (exitCode === 0)
    return createCouldNotRunResult(
      `no score can be read from a report or from the output (${detail})`,
      metadata,
    );
  if (outcome !== 'failed') return createCouldNotRunResult(detail, metadata);
  const said = `no score in a report or in the output, and the command failed: ${detail}`;
  return { outcome: 'failed', kind: 'executed', findings: [], detail: said, metadata };
};
