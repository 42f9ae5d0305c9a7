import { dirname } from 'node:path';
import { judgementCost, sumUnlessUnknown } from '../../shared/contract/task/judging-cost.ts';
import {
  describeIndependentResult,
  listIndependentResults,
} from '../../shared/control/verdict/verdict-inputs.ts';
import { formatCount, formatDollars, formatDuration } from '../../shared/lib/format.ts';
import type { TerminalColors } from '../io.ts';
import { renderTaskResults } from '../output/task-results.ts';
import { toOneLine } from '../output/text.ts';
import { renderVerificationNudge } from '../output/verification-nudge.ts';
import type { DemoResult } from './demo-result.ts';

/** Counts files such as `table=tasks/dt=2026-11-21/x.jsonl` by table and day. */
function filesByTable(files: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const file of files) {
    const folder = dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts];
}

/** Judgements of models and their cost. */
function judgingLines({ outcomes }: DemoResult): string[] {
  const judged = outcomes.flatMap(({ task, attempts }) =>
    attempts.flatMap(({ number, verdict }) =>
      (verdict?.judgements ?? [])
        .filter(({ calls }) => calls !== 0)
        .map((each) => ({ where: `${task.id} #${number}`, ...each })),
    ),
  );
  if (judged.length === 0) return [];
  const cost = sumUnlessUnknown(judged.map(judgementCost));
  return [
    `${formatCount(judged.length, 'judgement')} for ${formatDollars(cost)} (simulated, in the costs above):`,
    ...judged.map(
      ({ where, outcome, reasons, tokens, cost_usd }) =>
        `  ${where}: ${outcome}, ${formatDollars(cost_usd)}, ${tokens?.input ?? '?'} + ${tokens?.output ?? '?'} tokens: ${toOneLine(reasons[0] ?? '')}`,
    ),
  ];
}

/** Results of acceptance tests, and what their examiner and adjudicator cost. */
const acceptanceTestLines = ({ outcomes }: DemoResult): string[] =>
  outcomes.flatMap(({ task, attempts }) =>
    attempts.flatMap((attempt) =>
      listIndependentResults(attempt).map(
        (each) =>
          `${describeIndependentResult(each)} (${task.id} #${attempt.number}, ${
            each.facts['exam_reused'] === true && attempt.gates_metered_usage === undefined
              ? 'the same exam at no further cost'
              : `${formatDollars(attempt.gates_metered_usage?.cost_usd ?? null)} for examiner and adjudicator`
          })`,
      ),
    ),
  );

/** Results of the vision gate, or why it has none. */
const visionLines = ({ outcomes }: DemoResult): string[] =>
  outcomes.flatMap(({ task, attempts }) =>
    attempts.flatMap(({ number, verdict }) =>
      (verdict?.judgements ?? [])
        .filter(({ kind }) => kind === 'vision')
        .map(
          ({ outcome, request_reason: because, reasons }) =>
            `screenshots of ${task.id} #${number}: ${outcome}: ${toOneLine([because, ...reasons.filter((each) => each !== because)].join('; '))}`,
        ),
    ),
  );

/** Approval requests of agents, and the decisions about them. */
const approvalLines = ({ outcomes }: DemoResult): string[] =>
  outcomes.flatMap(({ task }) =>
    (task.approvals ?? []).map(
      ({ action, risk, status, decided_by, decision_reason }) =>
        `${task.id} requested approval for ${action} (${risk} risk): ${status} by ${decided_by ?? 'no one'}${decision_reason === null ? '' : `: ${toOneLine(decision_reason)}`}`,
    ),
  );

/** Renders the result of the demo as text. */
export function renderDemo(
  result: DemoResult,
  unexpected: readonly string[],
  width: number | undefined,
  pc: TerminalColors,
): string {
  const spent = result.outcomes.reduce<number | null>(
    (sum, { task }) => (sum === null || task.cost_usd === null ? null : sum + task.cost_usd),
    0,
  );
  const nudge = renderVerificationNudge(result.nudge, pc);
  return [
    ...(result.agent
      ? [
          `Done by ${result.agent.kind}, with ${result.agent.models === 'real' ? 'the models of its provider' : 'scripted models on this machine'}.`,
          '',
        ]
      : []),
    renderTaskResults(result.outcomes, width, pc),
    '',
    `${result.nudge.verified_count} of ${result.nudge.total_completions} completions verified; ${formatDollars(spent)} of models (${result.agent?.models === 'real' ? 'real' : 'simulated'}); ${formatDuration(result.elapsedMs)} in total.`,
    ...judgingLines(result),
    ...acceptanceTestLines(result),
    ...visionLines(result),
    ...approvalLines(result),
    ...(nudge === null ? [] : [nudge]),
    '',
    pc.bold('Delivered branches'),
    ...result.branches.map((line) => `  ${line}`),
    `  ${pc.dim(`git --git-dir ${result.repository} log --oneline --graph --all`)}`,
    '',
    pc.bold('Records (JSONL, as Athena reads them)'),
    ...filesByTable(result.recordFiles).map(([table, files]) => `  ${table}  ${formatCount(files, 'file')}`),
    `  ${pc.dim(`in ${result.recordsDir}`)}`,
    '',
    unexpected.length === 0
      ? `${pc.green('As expected:')} only work that passed was delivered. The files are in ${result.folder}`
      : [
          pc.red('Not as expected:'),
          ...unexpected.map((line) => `  ${line}`),
          `The files are in ${result.folder}`,
        ].join('\n'),
  ].join('\n');
}
