import type { CheckFinding } from '../../../shared/contract/evidence/schema.ts';
import { isTestPath } from '../../../shared/contract/evidence/test-path.ts';
import { toDisplayPath } from '../../../workspace/git/path-encoding.ts';
import type { ChangedCodeFile } from '../../code/changed-code.ts';
import type { CodeFile } from '../../code/code-files.ts';
import { moduleOfPath } from '../../code/import-graph.ts';
import { runPatchCodeCheck } from '../../code/patch-code.ts';
import type { ProjectCodeRevisions } from '../../code/project-code.ts';
import { isTestFile } from '../../code/test-reachability.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { type Language, languageOfGrammar } from '../../core/language.ts';
import {
  createFailedMeasurementResult,
  type MeasurementRun,
  runMeasurement,
} from '../measure/run-measurement.ts';
import { groupFilesByProject, joinFolder, MAX_TOOL_FOLDERS } from '../running/tool-folders.ts';
import { findToolVersion, missingToolMessage } from '../running/tool-version.ts';
import { combineToolResults, type ToolGateResult } from '../running/worst-result.ts';
import { type MutationReport, parseMutationReport } from './mutation-report.ts';
import { buildCollectMutationReportLine, MUTATION_TOOLS, REPORT_SEPARATOR } from './mutation-tools.ts';

interface MutationOptions {
  /** Command of the configuration; null: the tool of each language. */
  readonly command: string | null;
  /** Least share of mutants that the tests must notice, from 0 to 1. */
  readonly threshold: number;
  /** Code to change, by language. */
  readonly files: ReadonlyMap<Language, readonly string[]>;
}

/** Most survivors that are listed. */
const MAX_LISTED = 200;

type Metadata = NonNullable<GateResult['facts']>;

/** Changes the code in small ways, and looks how many of the changes the tests notice. */
async function runMutation(context: GateContext, options: MutationOptions): Promise<GateResult> {
  const { subject, timeoutMs } = context;
  const left = subject.sandboxes.startTimeLimit(timeoutMs);
  if (options.command !== null) {
    const files = [...options.files.values()].flat();
    const line = buildCollectMutationReportLine(options.command);
    const measured = await runMeasurement(subject.tree, {
      sandboxes: subject.sandboxes,
      line,
      files,
      timeoutMs: left(),
      mutatesCode: true,
    });
    return judgeMutation(measured, options, files, { command: options.command });
  }
  const parts: ToolGateResult[] = [];
  const beyond: string[] = [];
  for (const [language, all] of options.files) {
    const folders = [...(await groupFilesByProject(subject, language, all))];
    beyond.push(...folders.slice(MAX_TOOL_FOLDERS).map(([folder]) => folder));
    for (const [folder, paths] of folders.slice(0, MAX_TOOL_FOLDERS)) {
      const tool = MUTATION_TOOLS[language];
      const version = await findToolVersion(subject.sandboxes, subject.base, tool, folder);
      const facts: Metadata = {
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
          facts,
        });
        continue;
      }
      // The tool knows its files by their place in the project.
      const files = folder === '' ? paths : paths.map((path) => path.slice(folder.length + 1));
      const place = { sandboxes: subject.sandboxes, line: tool.line, folder, mutatesCode: true };
      const measured = await runMeasurement(subject.tree, { ...place, files, timeoutMs: left() });
      const result = judgeMutation(measured, options, files, facts);
      const findings = result.findings.map((finding) =>
        finding.file === null ? finding : { ...finding, file: joinFolder(folder, finding.file) },
      );
      add({ ...result, findings });
    }
  }
  return combineToolResults(parts, beyond);
}

function judgeMutation(
  measured: MeasurementRun,
  { threshold }: MutationOptions,
  files: readonly string[],
  facts: Metadata,
): GateResult {
  if (measured.reportText === null) return createFailedMeasurementResult(measured, facts);
  const parts = measured.reportText.split(REPORT_SEPARATOR);
  const reports = parts.flatMap((part) => parseMutationReport(part) ?? []).map((whole) => only(whole, files));
  const [report = null] = reports.toSorted((a, b) => (shareOf(a) ?? 0) - (shareOf(b) ?? 0));
  const said = parts.length > 1 || report === null ? parseMutationScore(parts.at(-1) ?? '') : null;
  // A test of the patch can write and print as well as the tool can: the lowest score counts.
  const scores = [...reports.map(shareOf), said].filter((share) => share !== null);
  const score = scores.length > 0 ? Math.min(...scores) : null;
  if (report && report.killedCount + report.survivedCount === 0)
    return createCouldNotRunResult('no change could be made to this code', facts);
  if (score === null) return withoutScore(measured, facts);
  const percent = (share: number): string => `${Math.floor(share * 1_000) / 10} %`;
  return {
    outcome: score >= threshold ? 'passed' : 'failed',
    kind: 'executed',
    findings: survivors(report),
    detail: `the tests notice ${percent(score)} of the changes, and must notice ${percent(threshold)}`,
    facts: {
      ...facts,
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

const survivors = (report: MutationReport | null): CheckFinding[] =>
  (report?.mutants ?? [])
    .filter(({ isKilled }) => !isKilled)
    .slice(0, MAX_LISTED)
    .map(({ file, line, description }) => ({
      file,
      line,
      rule: 'mutant_survived',
      message: `no test notices this change: ${description.slice(0, 200)}`,
    }));

const createCouldNotRunResult = (detail: string, facts: Metadata): GateResult => ({
  outcome: 'could_not_run',
  kind: 'executed',
  findings: [],
  detail,
  facts,
});

/**
 * A command whose score cannot be read may have a threshold of its own and say by its exit code that it was missed. That it ended well
 * says nothing: no mutant at all ends as well.
 */
const withoutScore = ({ exitCode, outcome, detail }: MeasurementRun, facts: Metadata): GateResult => {
  if (exitCode === 0)
    return createCouldNotRunResult(
      `no score can be read from a report or from the output (${detail})`,
      facts,
    );
  if (outcome !== 'failed') return createCouldNotRunResult(detail, facts);
  const said = `no score in a report or in the output, and the command failed: ${detail}`;
  return { outcome: 'failed', kind: 'executed', findings: [], detail: said, facts };
};

/** A number as it stands in prose, and never a part of a date, a path, a version or a time. */
const NUMBER = '(?<![\\w./:-])(\\d{1,7})(?![\\w/:-]|\\.\\d)';
/** A word as such, and not a part of a file's name or of another word. */
const END = '\\b(?!-|\\.\\w)';
const KILLED = `(?:killed|caught|detected)${END}`;
const SURVIVED = `(?:survived|survivors?|lived|missed|escaped)${END}`;

const named = (word: string): readonly RegExp[] => [
  new RegExp(`\\b${word}[ \\t]{0,4}[:=]?[ \\t]{0,4}${NUMBER}`, 'i'),
  new RegExp(`${NUMBER}[ \\t]{0,4}(?:mutants?[ \\t]{1,4})?(?:were[ \\t]{1,4})?${word}`, 'i'),
];
const KILLED_COUNT = named(KILLED);
const SURVIVED_COUNT = named(SURVIVED);
/** The last line that mutmut 2 leaves: 🎉 killed, ⏰ timed out, 🤔 suspicious, 🙁 survived. */
const FACES =
  /🎉\s{0,4}(\d{1,7}).{0,20}⏰\s{0,4}(\d{1,7}).{0,20}🤔\s{0,4}(\d{1,7}).{0,20}🙁\s{0,4}(\d{1,7})/u;
const SCORE =
  /\b(?:mutation[ \t_-]{1,4}score(?:[ \t_-]{1,4}indicator)?|MSI)\b[^\n\d]{0,30}?(?<![\w./-])(\d{1,3}(?:\.\d{1,12})?)[ \t]{0,2}(%?)(?![\w/-]|\.\d)/i;
const OF = new RegExp(
  `${KILLED}[ \\t]{0,4}[:=]?[ \\t]{0,4}(\\d{1,7})[ \\t]{0,2}(?:/|of)[ \\t]{0,2}(\\d{1,7})(?![\\w/])|(?<![\\w./-])(\\d{1,7})[ \\t]{0,2}(?:/|of)[ \\t]{0,2}(\\d{1,7})[ \\t]{0,2}(?:mutants?[ \\t]{1,4})?(?:were[ \\t]{1,4})?${KILLED}`,
  'i',
);
/** Longest line that is read; what is longer is no summary. */
const MAX_LINE = 1_000;
/** Lines from the end that are read. */
const MAX_LINES = 5_000;

/**
 * The share of mutants that were noticed, from the summary that a tool prints; null when it says none. Only numbers beside a word
 * that says what they are count. Several scores: the lowest, because any line may be the output of a test.
 */
export function parseMutationScore(output: string): number | null {
  const lines = output
    .split(/[\r\n]+/)
    .slice(-MAX_LINES)
    .filter((line) => line.length <= MAX_LINE);
  const scores = lines.flatMap((line) => scoreIn(line) ?? []);
  if (scores.length > 0) return Math.min(...scores);
  return counts(lines);
}

function scoreIn(line: string): number | null {
  const [, value, percent] = SCORE.exec(line) ?? [];
  if (value !== undefined) {
    const score = Number(value);
    return within(percent === '%' || score > 1 ? score / 100 : score);
  }
  const [, ...parts] = OF.exec(line) ?? [];
  const [killed, all] = parts.filter((part) => part !== undefined).map(Number);
  return killed !== undefined && all !== undefined && all > 0 ? within(killed / all) : null;
}

const within = (score: number): number | null => (score >= 0 && score <= 1 ? score : null);

/** Killed and survived, each from the last line that says it: earlier ones tell of the progress. */
function counts(lines: readonly string[]): number | null {
  const last = (patterns: readonly RegExp[]): number | null => {
    for (const line of lines.toReversed())
      for (const pattern of patterns) {
        const value = pattern.exec(line)?.[1];
        if (value !== undefined) return Number(value);
      }
    return null;
  };
  const faces = lines.map((line) => FACES.exec(line)).findLast((match) => match !== null);
  const [, killed = 0, late = 0, odd = 0, alive = 0] = (faces ?? []).map(Number);
  if (faces) return scoreOf(killed + late, odd + alive);
  const noticed = last(KILLED_COUNT);
  const missed = last(SURVIVED_COUNT);
  return noticed === null || missed === null ? null : scoreOf(noticed, missed);
}

const scoreOf = (killed: number, survived: number): number | null =>
  killed + survived > 0 ? killed / (killed + survived) : null;

/** Paths by language. */
function groupPathsByLanguage(files: readonly CodeFile[]): Map<Language, string[]> {
  const found = new Map<Language, string[]>();
  for (const { path, grammar } of files) {
    const language = languageOfGrammar(grammar);
    found.set(language, [...(found.get(language) ?? []), path]);
  }
  return found;
}

/** What a mutation gate changes: the code of the patch, or the code that its tests are about. */
export type MutationTarget = 'changed_code' | 'code_under_changed_tests';

/** Runs a mutation gate on the code that it aims at. */
export const runMutationGate = (
  context: GateContext,
  aim: MutationTarget,
  options: Omit<MutationOptions, 'files'>,
): Promise<GateResult> =>
  runPatchCodeCheck(context, async ({ project, changed }) => {
    const files = aim === 'changed_code' ? listChangedSources(changed) : listCodeUnderTest(project, changed);
    if (files.length > 0) return runMutation(context, { ...options, files: groupPathsByLanguage(files) });
    const detail =
      aim === 'changed_code' ? 'only tests were changed' : 'the changed tests import no code of the project';
    return { outcome: 'skipped', kind: 'checked', findings: [], detail };
  });

const isTyped = (path: string): boolean => /\.(?:pyi|d\.[cm]?ts)$/.test(path);

const listChangedSources = (changed: readonly ChangedCodeFile[]): CodeFile[] =>
  changed.flatMap(({ after }) => (after && !isTestPath(after.path) && !isTyped(after.path) ? [after] : []));

/** What the changed tests import directly; a test of Go is about its own package. */
function listCodeUnderTest({ head }: ProjectCodeRevisions, changed: readonly ChangedCodeFile[]): CodeFile[] {
  const modules = changed
    .flatMap(({ after }) => (after && isTestFile(after.path) ? [after] : []))
    .flatMap(({ path }) => head.importGraph.outgoingEdges.get(moduleOfPath(path)) ?? [])
    .map(({ to }) => to);
  return [...new Set(modules)]
    .flatMap((module) => head.filesOfModule(module))
    .filter(({ path }) => !isTestPath(path) && !isTyped(path));
}
