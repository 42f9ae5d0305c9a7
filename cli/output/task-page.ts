import type * as z from 'zod';
import type { AttemptList, AttemptView, TaskView } from '../../shared/api/task-schemas.ts';
import type { CheckOutcome } from '../../shared/contract/check-outcome.ts';
import { isRestoredProtectedFile } from '../../shared/contract/evidence/schema.ts';
import type { Judgement } from '../../shared/contract/judgement/judgement.ts';
import { estimatedCostUsd } from '../../shared/contract/task/attempt-cost.ts';
import {
  describeIndependentResult,
  isIndependentGate,
  listIndependentResults,
} from '../../shared/control/verdict/verdict-inputs.ts';
import { formatCost, formatCount, formatDollars, formatDuration } from '../../shared/lib/format.ts';
import { listAdvisoryFindings } from '../../shared/reviews/review/advisory-findings.ts';
import type { TerminalColors } from '../io.ts';
import { chooseStatusStyle, chooseVerdictStyle, renderTaskNote } from './task-style.ts';
import { padEnd, sanitizeText, toOneLine, truncateToWidth } from './text.ts';

type Chain = z.infer<typeof AttemptList>;

const LABEL = 14;
const field = (pc: TerminalColors, label: string, value: string): string =>
  `${pc.dim(padEnd(label, LABEL))}${value}`;

/** Maximum width of a detail; the reasons of the verdict are printed whole. */
const MAX_DETAIL = 140;

/** Renders a reason; the lines of command output below it are indented. */
const reasonLines = (message: string, pc: TerminalColors): string[] =>
  sanitizeText(message)
    .split('\n')
    .filter((text) => text.trim() !== '')
    .map((text, index) => (index === 0 ? `      - ${text}` : pc.dim(`        ${text}`)));

const outcomeStyle = (pc: TerminalColors, outcome: CheckOutcome): ((text: string) => string) =>
  outcome === 'passed' ? pc.green : outcome === 'failed' ? pc.red : pc.yellow;

function checkLines(attempt: AttemptView, pc: TerminalColors): string[] {
  const { verification } = attempt;
  if (!verification) return [];
  const line = (kind: string, name: string, outcome: CheckOutcome, detail: string): string =>
    `    ${outcomeStyle(pc, outcome)(padEnd(outcome, 12))} ${kind} ${toOneLine(name)}${detail === '' ? '' : pc.dim(`  ${truncateToWidth(toOneLine(detail), MAX_DETAIL)}`)}`;
  const protectedFiles = verification.protected_files.map(
    (file) =>
      `    ${isRestoredProtectedFile(file) ? pc.yellow(padEnd('reverted', 12)) : padEnd('changed', 12)} ${file.kind} ${toOneLine(file.path)}${pc.dim(file.allowed_by === null ? '' : `  allowed by ${toOneLine(file.allowed_by)}`)}`,
  );
  return [
    ...listIndependentResults(attempt).map((each) =>
      line('independent', each.name, each.outcome, each.detail),
    ),
    ...protectedFiles,
    ...verification.signals.map((each) => line('signal', each.subject, each.outcome, each.detail)),
    ...verification.gates
      .filter((each) => !isIndependentGate(each))
      .flatMap((each) => [
        line(
          'gate',
          each.name,
          each.outcome,
          each.detail || (each.finding_count > 0 ? formatCount(each.finding_count, 'finding') : ''),
        ),
        ...(each.screenshots ?? []).map(
          ({ name, path, width, height }) =>
            `    ${padEnd('', 12)} screenshot ${toOneLine(name)}${pc.dim(`  ${toOneLine(path)}, ${width} x ${height}`)}`,
        ),
      ]),
  ];
}

const isRelevant = ({ kind, outcome, verdict, calls }: Judgement): boolean =>
  kind !== 'requirements_review' || outcome !== 'could_not_run' || verdict !== 'pass' || calls !== 0;

/** Renders the judgements of models with their cost. */
const judgementLines = ({ verdict }: AttemptView, pc: TerminalColors): string[] =>
  // A requirements review that is not configured has nothing to show.
  (verdict?.judgements ?? []).filter(isRelevant).flatMap((each) => {
    const confidence = each.confidence === null ? '' : ` at ${each.confidence.toFixed(2)}`;
    const facts =
      each.model === null
        ? toOneLine(each.request_reason)
        : `${toOneLine(each.model)}, ${each.calibration === null ? 'uncalibrated, ' : ''}${formatDollars(each.cost_usd)}`;
    const score = each.grading?.weighted_score ?? null;
    const scored = score === null ? '' : ` (weighted score ${score.toFixed(2)})`;
    return [
      `    ${outcomeStyle(pc, each.outcome)(padEnd(`${each.outcome}${confidence}`, 12))} judge ${truncateToWidth(toOneLine(each.subject), MAX_DETAIL)}${scored}${pc.dim(`  ${facts}`)}`,
      // The reason for a missing answer is on the line above.
      ...listAdvisoryFindings(each)
        .filter((reason) => reason !== each.request_reason)
        .map((reason) => pc.dim(`        ${truncateToWidth(toOneLine(reason), MAX_DETAIL)}`)),
    ];
  });

/** Renders the class of the failure, whether it is retried, and the rule that classified it. */
function failureLines({ failure }: AttemptView, pc: TerminalColors): string[] {
  if (!failure) return [];
  const {
    class: failureClass,
    code,
    retryable,
    matched_rule: rule,
    signature: fingerprint,
    normalized_message: about = '',
  } = failure;
  const name = failureClass === null || failureClass === code ? code : `${failureClass} (${code})`;
  const retry = retryable === null ? '' : retryable ? '; retryable' : '; not retried on the same model';
  return [
    `    ${pc.dim('failure')} ${toOneLine(`${name}${retry}; classified by: ${rule}`)}`,
    ...(fingerprint === undefined
      ? []
      : [
          `    ${pc.dim('fingerprint')} ${truncateToWidth(toOneLine(`${fingerprint}: ${about}`), MAX_DETAIL)}`,
        ]),
  ];
}

/** Renders how the agent ended: its exit code and last output if it failed, else its own summary. */
function agentLine(
  { summary, output_tail, exit: end }: NonNullable<AttemptView['report']>,
  pc: TerminalColors,
): string {
  const { exit_code, signal } = end ?? {};
  const cause = exit_code ? `exited with code ${exit_code}` : signal ? `ended by ${signal}` : null;
  if (cause === null) return `    ${pc.dim('agent said')} ${toOneLine(summary)}`;
  const last = output_tail.trim().split('\n').at(-1) ?? '';
  const detail =
    last === '' ? toOneLine(summary) : `last output: ${truncateToWidth(toOneLine(last), MAX_DETAIL)}`;
  return `    ${pc.dim('agent')} ${cause}; ${detail}`;
}

/** Renders the last output of an agent that failed; one line is on the line above. */
function failedOutputLines(
  { status, output_tail }: NonNullable<AttemptView['report']>,
  pc: TerminalColors,
): string[] {
  const output = sanitizeText(output_tail).trimEnd().split('\n');
  return status === 'failed' && output.length > 1
    ? [
        `    ${pc.dim(`last ${formatCount(output.length, 'line')} of output (all: --print transcript)`)}`,
        ...output.map((text) => pc.dim(`      ${truncateToWidth(text, MAX_DETAIL)}`)),
      ]
    : [];
}

/** Renders the path through the workflow of the task, and the stage where the review stopped. */
function workflowLines({ verdict }: AttemptView, pc: TerminalColors): string[] {
  const workflow = verdict?.workflow;
  if (!workflow) return [];
  const taken = workflow.routes.map(
    ({ node, verdict: result, target: to }) => `${node} ${result}${to === null ? '' : ` to ${to}`}`,
  );
  const { current_stage: stage } = workflow.review_pipeline;
  const review = stage === null ? 'review passed' : `review stopped at ${stage}`;
  return [`    ${pc.dim('workflow')} ${toOneLine(`${workflow.name}: ${[...taken, review].join(', ')}`)}`];
}

const qualityScoreText = ({ quality_score: score }: AttemptView): string =>
  score === null ? '' : `, quality ${score.total} (${score.grade})`;

/** Renders the result of the verification gate in the agent container. */
function verificationGateLines(
  gate: NonNullable<AttemptView['report']>['verification_gate'],
  pc: TerminalColors,
): string[] {
  if (!gate) return [];
  const { tests, compilation } = gate.nudges;
  const reminders =
    tests + compilation === 0
      ? ''
      : `, reminders: ${tests} about tests and files, ${compilation} about compilation`;
  const colour = gate.state === 'satisfied' ? pc.dim : pc.yellow;
  return [
    `    ${colour(`verification gate ${gate.state}`)}${reminders}: ${toOneLine([gate.reason, ...gate.missing].join('; '))}`,
  ];
}

/** Renders the findings of middleware. */
const middlewareLines = ({ report }: AttemptView, pc: TerminalColors): string[] => {
  const { findings: found = [], findings_omitted: more } = report?.middleware ?? {};
  return [
    ...found.map(
      ({ middleware: by, kind, code, detail }) =>
        `    ${pc.dim(`${by} (${kind})`)} ${code.replaceAll('_', ' ')}: ${truncateToWidth(toOneLine(detail), MAX_DETAIL)}`,
    ),
    ...(more === undefined
      ? []
      : [`    ${pc.dim(`and ${formatCount(more, 'more finding')} of middleware`)}`]),
  ];
};

function renderAttempt(attempt: AttemptView, pc: TerminalColors): string {
  const { verdict, decision, report, verification_failure: unverifiable } = attempt;
  const took = attempt.ended_at && Date.parse(attempt.ended_at) - Date.parse(attempt.started_at);
  const facts = [
    attempt.model ?? 'no model named',
    attempt.tier ?? '',
    `effort ${attempt.effort}`,
    attempt.outcome ?? 'running',
    attempt.judging_cost_usd === 0 ? '' : `judging ${formatDollars(attempt.judging_cost_usd)}`,
    `cost ${attempt.cost_usd === null && attempt.outcome === null ? 'unknown so far' : formatCost(attempt.cost_usd, estimatedCostUsd([attempt]))}`,
    typeof took === 'number' ? formatDuration(took) : '',
  ].filter((fact) => fact !== '');
  const lines = [`  ${pc.bold(`#${attempt.number}`)} ${facts.map(toOneLine).join(' · ')}`];
  if (attempt.route) lines.push(`    ${pc.dim('routed by')} ${toOneLine(attempt.route.reason)}`);
  if (report) lines.push(agentLine(report, pc), ...failedOutputLines(report, pc));
  lines.push(...verificationGateLines(report?.verification_gate, pc), ...middlewareLines(attempt, pc));
  for (const run of report?.logged_test_runs ?? [])
    lines.push(
      `    ${pc.dim('in its log')} ${run.tool}: ${run.passed ?? '?'} passed, ${run.failed ?? '?'} failed${pc.dim(' (a claim)')}`,
    );
  if (attempt.reverification)
    lines.push(
      `    ${pc.dim('rejudged')} by ${toOneLine(attempt.reverification.by)}, was ${attempt.reverification.earlier_verdict}: ${toOneLine(attempt.reverification.reason)}`,
    );
  lines.push(...checkLines(attempt, pc), ...judgementLines(attempt, pc), ...workflowLines(attempt, pc));
  if (unverifiable)
    lines.push(
      `    ${pc.yellow('no evidence')} ${unverifiable.failure_code}: ${toOneLine(unverifiable.message)}`,
    );
  if (verdict) {
    const suffix = verdict.verified ? '' : ' (unverified)';
    lines.push(
      `    verdict ${chooseVerdictStyle(pc, verdict.verdict)(verdict.verdict)}${suffix} on tree ${verdict.tree.slice(0, 12)}${qualityScoreText(attempt)}`,
    );
    lines.push(...verdict.reasons.flatMap((reason) => reasonLines(reason.message, pc)));
  }
  lines.push(...failureLines(attempt, pc));
  if (decision)
    lines.push(
      `    then ${[decision.strategy?.replace('_', ' '), decision.action].filter(Boolean).join(': ')}${decision.next_model ? ` to ${decision.next_model}` : ''}: ${toOneLine(decision.reason)}`,
    );
  return lines.join('\n');
}

/** Lists the files that a reviewer accepted. */
function acceptedFiles({ review }: TaskView): string | undefined {
  const named = review?.accepted_protected_files?.map(toOneLine).join(', ');
  return review?.accepted_protected_files_omitted === undefined
    ? named
    : `${named} and ${review.accepted_protected_files_omitted} more`;
}

/** Renders everything about one task as text. */
export function renderTaskDetails(task: TaskView, chain: Chain, pc: TerminalColors): string {
  const status = chooseStatusStyle(pc, task.status, task.flagged_unverified)(task.status);
  const lines = [pc.bold(toOneLine(task.title)), field(pc, 'id', task.id)];
  const add = (label: string, value: string | null | undefined): void => {
    if (value !== null && value !== undefined && value !== '') lines.push(field(pc, label, value));
  };
  add('status', `${status}${task.flagged_unverified ? pc.yellow(' (unverified)') : ''}`);
  const judged = chain.attempts.findLast(({ verification }) => verification !== null);
  for (const [index, each] of (judged ? listIndependentResults(judged) : []).entries())
    add(
      index === 0 ? 'independent' : ' ',
      outcomeStyle(pc, each.outcome)(toOneLine(describeIndependentResult(each))),
    );
  add('failure', task.failure && pc.red(`${toOneLine(task.failure.code)}: ${renderTaskNote(task)}`));
  add('waits for', task.blocked_reason && toOneLine(task.blocked_reason.message));
  add('held since', task.hold && `${task.hold.since}: ${task.hold.reasons.map(toOneLine).join('; ')}`);
  add('blocks', task.blocks?.join(', '));
  add('held until', task.hold?.expires_at && `${task.hold.expires_at}, then ${task.hold.expiry_outcome}`);
  add(
    'review',
    task.review && toOneLine(`${task.review.decision} by ${task.review.by}: ${task.review.reason}`),
  );
  add('role', `${task.role}, priority ${task.priority}, ${task.scope} scope, ${task.complexity} complexity`);
  add('', task.role_reason && toOneLine(`role ${task.role_reason}`));
  add('repository', toOneLine(`${task.repository} at ${task.base_ref}`));
  add('base', task.base_commit ?? 'not resolved yet');
  add('depends on', task.depends_on.join(', '));
  add(
    'rewired',
    task.rewired_dependencies?.map(({ from, to }) => `${to} in place of ${from}, which failed`).join(', '),
  );
  add(
    'partial',
    task.partial_start &&
      `without ${task.partial_start.missing_dependencies.join(', ')}: ${task.partial_start.completed_share} of its dependencies are done, ${task.partial_start.threshold} are enough`,
  );
  add(
    'foundation',
    task.foundation &&
      `${task.foundation.dependents} tasks waited for it at ${task.foundation.since}: one more attempt, and a quality gate that is one point lower`,
  );
  add(
    'fix-up of',
    task.fix_up_of &&
      `${task.fix_up_of.task_id}, number ${task.fix_up_of.generation} for ${task.fix_up_of.root_task_id}`,
  );
  add('fix-up', task.superseded_by);
  add(
    'revises',
    task.revision_of &&
      `pull request ${task.revision_of.number} of ${task.revision_of.task_id}, number ${task.revision_of.generation}, for ${toOneLine(task.revision_of.requested_by)}`,
  );
  add('files', task.files.map(toOneLine).join(', '));
  add('expects', task.expected_changes.join(', '));
  add('accepted', acceptedFiles(task));
  add('created', `${task.created_at} by ${toOneLine(task.created_by)}`);
  add('ended', task.ended_at);
  if (task.verdict) add('verdict', chooseVerdictStyle(pc, task.verdict)(task.verdict));
  add('cost', costText(chain));
  add('saved', savedText(chain));
  add('delivery', deliveryText(task));
  if (task.description !== '') lines.push('', sanitizeText(task.description).trimEnd());
  if (chain.attempts.length > 0)
    lines.push('', pc.bold('Attempts'), ...chain.attempts.map((attempt) => renderAttempt(attempt, pc)));
  return lines.join('\n');
}

function costText(chain: Chain): string | null {
  if (chain.attempts.length === 0) return null;
  const judging = chain.judging_cost_usd;
  return `${formatCost(chain.total_cost_usd, estimatedCostUsd(chain.attempts))}${judging === 0 ? '' : `, including ${formatDollars(judging)} for judging`}`;
}

function savedText(chain: Chain): string | null {
  if (chain.saved_vs_direct_opus_usd === null) return null;
  const even = chain.break_even_pass_rate;
  return `${formatDollars(chain.saved_vs_direct_opus_usd)} compared with the top model alone${
    even === null ? '' : ` (break-even pass rate ${(even * 100).toFixed(0)}%)`
  }`;
}

function deliveryText(task: TaskView): string | null {
  const { delivery } = task;
  if (!delivery) return null;
  const what = [
    delivery.state,
    delivery.branch ?? '',
    delivery.commit ? `at ${delivery.commit.slice(0, 12)}` : '',
    delivery.reason ? `(${toOneLine(delivery.reason)})` : '',
  ];
  return what.filter((part) => part !== '').join(' ');
}
