import { escapeXmlAttribute } from '../../gates/pipeline/output/write-junit.ts';
import { formatSarif } from '../../gates/pipeline/output/write-sarif.ts';
import type { CheckOutcome } from '../../shared/contract/check-outcome.ts';
import type { Evidence, GateEvidence, Verdict } from '../../shared/contract/evidence/schema.ts';
import { describeSignal } from '../../shared/contract/submission/signals.ts';
import { escapeMarkdown } from '../../shared/lib/escape-markdown.ts';
import { formatDuration } from '../../shared/lib/format.ts';
import { sanitizeText } from '../output/text.ts';

/** A signal or a gate, as every format shows it. */
interface ReportRow {
  readonly name: string;
  readonly kind: 'signal' | 'gate';
  readonly outcome: CheckOutcome;
  readonly counts: boolean;
  readonly detail: string;
  readonly duration_ms: number;
}

const toGateRow = ({ name, outcome, required, blocked, detail, duration_ms }: GateEvidence): ReportRow => ({
  name,
  kind: 'gate',
  outcome,
  counts: required || blocked,
  detail,
  duration_ms,
});

/** Rows in the order of their weight: independent evidence comes first. */
const reportRows = ({ signals, gates }: Evidence): ReportRow[] => [
  ...gates.filter(({ independent }) => independent).map(toGateRow),
  ...signals.map(({ signal, outcome, detail, duration_ms }) => ({
    name: describeSignal(signal),
    kind: 'signal' as const,
    outcome,
    counts: true,
    detail,
    duration_ms,
  })),
  ...gates.filter(({ independent }) => !independent).map(toGateRow),
];

const NOT_RUN: readonly CheckOutcome[] = ['skipped', 'bypassed', 'could_not_run'];
const isGood = (outcome: CheckOutcome): boolean => outcome === 'passed' || NOT_RUN.includes(outcome);

function junit(evidence: Evidence, verdict: Verdict): string {
  const checks = reportRows(evidence);
  const inner = ({ outcome, detail }: ReportRow): string => {
    if (outcome === 'passed') return '';
    const message = ` message="${escapeXmlAttribute(`${outcome}: ${detail}`)}"`;
    if (NOT_RUN.includes(outcome)) return `<skipped${message}/>`;
    return outcome === 'failed' ? `<failure${message}/>` : `<error${message}/>`;
  };
  const count = (test: (outcome: CheckOutcome) => boolean): number =>
    checks.filter(({ outcome }) => test(outcome)).length;
  const cases = checks.map(
    (each) =>
      `<testcase classname="assay.${each.kind}" name="${escapeXmlAttribute(each.name)}" time="${(each.duration_ms / 1_000).toFixed(3)}">${inner(each)}</testcase>\n`,
  );
  const failures = count((outcome) => outcome === 'failed');
  const errors = count((outcome) => !isGood(outcome) && outcome !== 'failed');
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="assay">
<testsuite name="assay: ${verdict.verdict}" tests="${checks.length}" failures="${failures}" errors="${errors}" skipped="${count((outcome) => NOT_RUN.includes(outcome))}" time="${(evidence.duration_ms / 1_000).toFixed(3)}">
${cases.join('')}</testsuite>
</testsuites>`;
}

/** Escapes the text of a workflow command: untrusted text must not start a command, nor end a property. */
const escapeData = (text: string): string =>
  sanitizeText(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Workflow commands of GitHub Actions: an annotation with the reasons, because only the first ten are shown, and one per finding. */
function github(evidence: Evidence, verdict: Verdict): string {
  const findings = evidence.gates.flatMap((gate) =>
    gate.findings.map(({ file, line, rule, message }) => {
      const level = gate.blocked ? 'error' : gate.outcome === 'passed' ? 'notice' : 'warning';
      const place = [
        ...(file === null ? [] : [`file=${escapeProperty(file)}`]),
        ...(file === null || line === null ? [] : [`line=${line}`]),
        `title=${escapeProperty(`${gate.name}: ${rule}`)}`,
      ];
      return `::${level} ${place.join(',')}::${escapeData(message)}`;
    }),
  );
  const level = verdict.verdict === 'pass' ? 'notice' : 'error';
  const reasons = verdict.reasons.map(({ message }) => message).join('\n');
  const summary = `::${level} title=Assay%3A ${verdict.verdict}${verdict.verified ? '' : ' (unverified)'}::${escapeData(reasons === '' ? 'no findings' : reasons)}`;
  return [summary, ...findings].join('\n');
}

const MARKS: Readonly<Record<Verdict['verdict'], string>> = { pass: '✅', fail: '❌', refer: '🟡' };

function markdown(evidence: Evidence, verdict: Verdict): string {
  const rows = reportRows(evidence).map(
    ({ name, outcome, counts, detail, duration_ms }) =>
      `| ${escapeMarkdown(name)} | ${outcome === 'passed' ? '' : '**'}${outcome.replace('_', ' ')}${outcome === 'passed' ? '' : '**'} | ${counts ? 'yes' : 'no'} | ${formatDuration(duration_ms)} | ${escapeMarkdown(detail.split('\n', 1)[0] ?? '')} |`,
  );
  const findings = evidence.gates.flatMap((gate) =>
    gate.findings.map(
      ({ file, line, rule, message }) =>
        `- ${escapeMarkdown(gate.name)}, ${escapeMarkdown(rule)}${file === null ? '' : `, ${escapeMarkdown(file)}${line === null ? '' : ` line ${line}`}`}: ${escapeMarkdown(message)}`,
    ),
  );
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', `### ${title}`, '', ...lines];
  return [
    `## ${MARKS[verdict.verdict]} Assay: ${verdict.verdict}${verdict.verified ? '' : ' (unverified)'}`,
    '',
    `Base \`${evidence.base_commit.slice(0, 12)}\`, tree \`${evidence.tree.slice(0, 12)}\`, ${evidence.changed_files.length} changed files, ${formatDuration(evidence.duration_ms)}.`,
    '',
    ...(rows.length === 0
      ? ['No signals and no gates.']
      : ['| Check | Outcome | Counts | Time | Detail |', '|---|---|---|---|---|', ...rows]),
    ...section(
      'Reasons',
      verdict.reasons.map(({ message }) => `- ${escapeMarkdown(message)}`),
    ),
    ...section('Findings', findings),
  ].join('\n');
}

/** Formats of `assay check` for other programs. */
export const CHECK_REPORT_FORMATTERS = {
  sarif: (evidence: Evidence, _verdict: Verdict) => JSON.stringify(formatSarif(evidence), null, 2),
  junit,
  github,
  markdown,
} as const satisfies Record<string, (evidence: Evidence, verdict: Verdict) => string>;
