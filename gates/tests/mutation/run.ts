import type { Finding } from '../../../shared/contract/evidence/schema.ts';
import { shownPath } from '../../../workspace/git/path-bytes.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import type { Language } from '../../core/language.ts';
import { type Measured, measure, unmeasured } from '../measure/measure.ts';
import { byProject, inFolder, MAX_FOLDERS } from '../running/folders.ts';
import { gravestOf, type Part } from '../running/gravest.ts';
import { profilesOf } from '../running/settings.ts';
import { missing, toolVersion } from '../running/tool-version.ts';
import { scoreInProse } from './prose.ts';
import { type MutationReport, mutationReport } from './report.ts';
import { BETWEEN, MUTATORS, reporting } from './tools.ts';

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
export async function runMutation(
  context: GateContext,
  settings: Readonly<Record<string, unknown>>,
  options: MutationOptions,
): Promise<GateResult> {
  const { subject, timeoutMs } = context;
  const left = subject.rooms.within(timeoutMs);
  if (options.command !== null) {
    const files = [...options.files.values()].flat();
    const line = reporting(options.command);
    const measured = await measure(subject.tree, { rooms: subject.rooms, line, files, timeoutMs: left() });
    return judged(measured, options, files, { command: options.command });
  }
  const parts: Part[] = [];
  const beyond: string[] = [];
  for (const [language, all] of options.files) {
    const setup = profilesOf(settings)[language]?.setup;
    const folders = [...(await byProject(subject, language, all))];
    beyond.push(...folders.slice(MAX_FOLDERS).map(([folder]) => folder));
    for (const [folder, paths] of folders.slice(0, MAX_FOLDERS)) {
      const tool = MUTATORS[language];
      const version = await toolVersion(subject.rooms, subject.base, tool, { setup, folder });
      const metadata: Metadata = {
        tool: tool.name,
        tool_version: version,
        command: tool.line,
        ...(folder === '' ? {} : { folder: shownPath(folder) }),
      };
      const add = (result: GateResult): void => {
        parts.push({ tool: tool.name, folder, result });
      };
      if (version === null) {
        add({ outcome: 'inert', kind: 'checked_by_us', findings: [], detail: missing(tool), metadata });
        continue;
      }
      // The tool knows its files by their place in the project.
      const files = folder === '' ? paths : paths.map((path) => path.slice(folder.length + 1));
      const place = { rooms: subject.rooms, line: tool.line, setup, folder };
      const measured = await measure(subject.tree, { ...place, files, timeoutMs: left() });
      const result = judged(measured, options, files, metadata);
      const findings = result.findings.map((finding) =>
        finding.file === null ? finding : { ...finding, file: inFolder(folder, finding.file) },
      );
      add({ ...result, findings });
    }
  }
  return gravestOf(parts, beyond);
}

function judged(
  measured: Measured,
  { threshold }: MutationOptions,
  files: readonly string[],
  metadata: Metadata,
): GateResult {
  if (measured.text === null) return unmeasured(measured, metadata);
  const parts = measured.text.split(BETWEEN);
  const reports = parts.flatMap((part) => mutationReport(part) ?? []).map((whole) => only(whole, files));
  const [report = null] = reports.toSorted((a, b) => (shareOf(a) ?? 0) - (shareOf(b) ?? 0));
  const said = parts.length > 1 || report === null ? scoreInProse(parts.at(-1) ?? '') : null;
  // A test of the patch can write and print as well as the tool can: the lowest score counts.
  const scores = [...reports.map(shareOf), said].filter((share) => share !== null);
  const score = scores.length > 0 ? Math.min(...scores) : null;
  if (report && report.killed + report.survived === 0)
    return nothing('no change could be made to this code', metadata);
  if (score === null) return withoutScore(measured, metadata);
  const percent = (share: number): string => `${Math.floor(share * 1_000) / 10} %`;
  return {
    outcome: score >= threshold ? 'passed' : 'failed',
    kind: 'executed_by_us',
    findings: survivors(report),
    detail: `the tests notice ${percent(score)} of the changes, and must notice ${percent(threshold)}`,
    metadata: {
      ...metadata,
      score,
      threshold,
      ...(report ? { killed: report.killed, survived: report.survived } : {}),
    },
  };
}

const shareOf = ({ killed, survived }: MutationReport): number | null =>
  killed + survived > 0 ? killed / (killed + survived) : null;

/** The part of a report that is about these files, where it says which is which. */
function only(report: MutationReport, files: readonly string[]): MutationReport {
  if (report.mutants === null || files.length === 0) return report;
  const wanted = report.mutants.filter(({ file }) =>
    files.some((path) => file === path || file.endsWith(`/${path}`)),
  );
  const killed = wanted.filter((mutant) => mutant.killed).length;
  return { killed, survived: wanted.length - killed, mutants: wanted };
}

const survivors = (report: MutationReport | null): Finding[] =>
  (report?.mutants ?? [])
    .filter(({ killed }) => !killed)
    .slice(0, MAX_LISTED)
    .map(({ file, line, what }) => ({
      file,
      line,
      rule: 'mutant_survived',
      message: `no test notices this change: ${what.slice(0, 200)}`,
    }));

const nothing = (detail: string, metadata: Metadata): GateResult => ({
  outcome: 'inert',
  kind: 'executed_by_us',
  findings: [],
  detail,
  metadata,
});

/**
 * A command whose score cannot be read may have a threshold of its own and say by its exit code that it was missed. That it ended well
 * says nothing: no mutant at all ends as well.
 */
const withoutScore = ({ exitCode, outcome, detail }: Measured, metadata: Metadata): GateResult => {
  if (exitCode === 0)
    return nothing(`no score can be read from a report or from the output (${detail})`, metadata);
  if (outcome !== 'failed') return nothing(detail, metadata);
  const said = `no score in a report or in the output, and the command failed: ${detail}`;
  return { outcome: 'failed', kind: 'executed_by_us', findings: [], detail: said, metadata };
};
