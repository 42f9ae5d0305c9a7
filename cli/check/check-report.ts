import type { CheckOutcome } from '../../shared/contract/check-outcome.ts';
import type { ChangedProtectedFile, Evidence, Verdict } from '../../shared/contract/evidence/schema.ts';
import { listScreenshots } from '../../shared/contract/screenshot.ts';
import { isRestoredProtectedFile } from '../../shared/contract/submission/expected-changes.ts';
import { describeSignal } from '../../shared/contract/submission/signals.ts';
import { formatCount, formatDuration } from '../../shared/lib/format.ts';
import type { TerminalColors } from '../io.ts';
import { renderTable } from '../output/table.ts';
import { chooseVerdictStyle } from '../output/task-style.ts';
import { sanitizeText, toOneLine } from '../output/text.ts';

/** Converts evidence and verdict to the documented output of `assay check --json`. */
export const toCheckJson = (evidence: Evidence, verdict: Verdict) => ({
  verdict: verdict.verdict,
  verified: verdict.verified,
  reasons: verdict.reasons.map(({ message }) => message),
  reason_codes: verdict.reasons.map(({ code, subject }) => ({ code, subject })),
  base: evidence.base_commit,
  tree: evidence.tree,
  empty_patch: evidence.empty_patch,
  changed_files: evidence.changed_files,
  expected_changes: evidence.expected_changes,
  protected_files: evidence.protected_files,
  signals: evidence.signals.map(({ type, signal, outcome, kind, detail, duration_ms }) => ({
    type,
    subject: describeSignal(signal),
    outcome,
    kind,
    detail,
    duration_ms,
  })),
  gates: evidence.gates.map(
    ({
      name,
      outcome,
      kind,
      required,
      blocked,
      findings,
      detail,
      duration_ms,
      cached,
      facts,
      screenshots,
      independent,
    }) => ({
      name,
      outcome,
      kind,
      required,
      blocked,
      findings,
      detail,
      duration_ms,
      cached,
      facts,
      ...(screenshots && { screenshots }),
      ...(independent && { independent }),
    }),
  ),
  tests_run: verdict.tests_run,
  quality_gates_run: verdict.quality_gates_run,
  completion_signals_checked: verdict.completion_signals_checked,
  duration_ms: evidence.duration_ms,
});

const outcomeStyle = (pc: TerminalColors, outcome: CheckOutcome): ((text: string) => string) => {
  if (outcome === 'passed') return pc.green;
  if (outcome === 'failed') return pc.red;
  return outcome === 'skipped' ? pc.dim : pc.yellow;
};

/**
 * Renders evidence and verdict as text.
 * @param explain returns the explanation of a rule; null for rules of a tool
 * @param width in columns; undefined: nothing is cut
 */
export function renderCheckReport(
  evidence: Evidence,
  verdict: Verdict,
  explain: (rule: string) => string | null,
  pc: TerminalColors,
  width: number | undefined,
): string {
  const independent = evidence.gates.filter((gate) => gate.independent);
  const rows = [
    ...independent.map((each) => ({ ...each, name: `independent ${each.name}` })),
    ...evidence.signals.map((each) => ({ ...each, name: describeSignal(each.signal), required: true })),
    ...evidence.gates
      .filter((gate) => !gate.independent)
      .map((each) => ({ ...each, name: `gate ${each.name}` })),
  ];
  const table =
    rows.length === 0
      ? pc.dim('no signals and no gates')
      : renderTable(
          [
            { title: 'CHECK', shrinkTo: 24 },
            { title: 'OUTCOME' },
            { title: 'REQUIRED' },
            { title: 'TIME', align: 'right' },
            { title: 'DETAIL', shrinkTo: 16 },
          ],
          rows.map((row) => [
            row.name,
            { text: row.outcome, style: outcomeStyle(pc, row.outcome) },
            row.required ? 'yes' : 'no',
            formatDuration(row.duration_ms),
            `${'cached' in row && row.cached ? '(cached) ' : ''}${firstLine(row.detail)}`,
          ]),
          width,
          pc.dim,
        );
  return [
    `${pc.dim('base')} ${evidence.base_commit.slice(0, 12)}  ${pc.dim('tree')} ${evidence.tree.slice(0, 12)}  ${formatCount(evidence.changed_files.length, 'changed file')}`,
    '',
    table,
    ...section('Test runs', evidence.gates.flatMap(describeTestRunCosts)),
    ...section(
      'Screenshots',
      listScreenshots(evidence).map(
        ({ name, path, width, height }) => `${name}  ${pc.dim(`${path}, ${width} x ${height}`)}`,
      ),
    ),
    ...section(
      'Findings',
      evidence.gates.flatMap((gate) =>
        gate.findings.map(
          ({ file, line, rule, message }) =>
            `${gate.name}: ${file ?? ''}${line === null ? '' : `:${line}`} ${pc.bold(rule)} ${message}`,
        ),
      ),
    ),
    ...section(
      'Explanations',
      [...new Set(evidence.gates.flatMap(({ findings }) => findings.map(({ rule }) => rule)))].flatMap(
        (rule) => explain(rule) ?? [],
      ),
    ),
    ...section(
      'Checked in the version of the base commit',
      protectedLines(evidence, (file) => isRestoredProtectedFile(file) && file.review_reason !== null),
    ),
    ...section(
      'Changed, and executed by no check',
      protectedLines(evidence, (file) => isRestoredProtectedFile(file) && file.review_reason === null),
    ),
    ...section(
      'Changed by the patch',
      protectedLines(evidence, (file) => !isRestoredProtectedFile(file)),
    ),
    ...section(
      'Reasons',
      verdict.reasons.map(({ message }) => message),
    ),
    '',
    `verdict ${pc.bold(chooseVerdictStyle(pc, verdict.verdict)(verdict.verdict))}${verdict.verified ? '' : pc.yellow(' (unverified)')}${pc.dim(`  ${formatDuration(evidence.duration_ms)}`)}`,
  ].join('\n');
}

/** Says how often tests ran for a gate, what that has cost, and how that compares with one run of the suite. */
function describeTestRunCosts({ name, cached, facts }: Evidence['gates'][number]): string[] {
  const { test_runs: runs, test_runs_cpu_ms: cpuMs, suite_cpu_ms: suiteMs } = facts;
  if (cached || typeof runs !== 'number' || typeof cpuMs !== 'number') return [];
  const ratio =
    typeof suiteMs === 'number' && suiteMs > 0
      ? `, ${(cpuMs / suiteMs).toFixed(1)} times one run of the suite (${formatDuration(suiteMs)})`
      : '';
  return [`gate ${name}: ${formatCount(runs, 'run')}, ${formatDuration(cpuMs)} of CPU time${ratio}`];
}

const protectedLines = (
  { protected_files }: Evidence,
  isMeant: (file: ChangedProtectedFile) => boolean,
): string[] =>
  protected_files
    .filter(isMeant)
    .map(
      ({ path, change, kind, reason, checked_version: used, allowed_by, review_reason }) =>
        `${path} (${change}, ${kind}): ${review_reason ?? reason}${used === 'part' ? '; in part' : ''}${allowed_by === null ? '' : `; allowed by ${allowed_by}`}`,
    );

const firstLine = (text: string): string => toOneLine(text.split('\n', 1)[0] ?? '');

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0
    ? []
    : ['', `${title}:`, ...lines.map((text) => `  - ${sanitizeText(text).replaceAll('\n', '\n    ')}`)];
