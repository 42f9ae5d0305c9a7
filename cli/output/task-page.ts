import type * as z from 'zod';
import type { AttemptList, AttemptView, TaskView } from '../../shared/api/task-schemas.ts';
import type { CheckOutcome } from '../../shared/contract/check-outcome.ts';
import { isRestoredFile } from '../../shared/contract/evidence/schema.ts';
import type { Judgement } from '../../shared/contract/judgement/judgement.ts';
import { formatCount, formatDollars, formatDuration } from '../../shared/lib/format.ts';
import { advisoryFindings } from '../../shared/reviews/review/advisory-findings.ts';
import type { Colors } from '../io.ts';
import { renderTaskNote, statusStyle, verdictStyle } from './task-style.ts';
import { padEnd, sanitizeText, toOneLine, truncateToWidth } from './text.ts';

type Chain = z.infer<typeof AttemptList>;

const LABEL = 14;
const field = (pc: Colors, label: string, value: string): string => `${pc.dim(padEnd(label, LABEL))}${value}`;

/** Most columns of a check's detail; what decided is in the reasons, whole. */
const DETAIL = 140;

/** A reason as it came, with the output of the command line by line. */
const reasonLines = (message: string, pc: Colors): string[] =>
  sanitizeText(message)
    .split('\n')
    .filter((text) => text.trim() !== '')
    .map((text, index) => (index === 0 ? `      - ${text}` : pc.dim(`        ${text}`)));

const outcomeStyle = (pc: Colors, outcome: CheckOutcome): ((text: string) => string) =>
  outcome === 'passed' ? pc.green : outcome === 'failed' ? pc.red : pc.yellow;

function checks(attempt: AttemptView, pc: Colors): string[] {
  const { verification } = attempt;
  if (!verification) return [];
  const line = (kind: string, name: string, outcome: CheckOutcome, detail: string): string =>
    `    ${outcomeStyle(pc, outcome)(padEnd(outcome, 12))} ${kind} ${toOneLine(name)}${detail === '' ? '' : pc.dim(`  ${truncateToWidth(toOneLine(detail), DETAIL)}`)}`;
  const putBack = (verification.protected_files ?? []).map(
    (file) =>
      `    ${isRestoredFile(file) ? pc.yellow(padEnd('put back', 12)) : padEnd('changed', 12)} ${file.class} ${toOneLine(file.path)}${pc.dim(file.allowed_by === null ? '' : `  allowed by ${toOneLine(file.allowed_by)}`)}`,
  );
  return [
    ...putBack,
    ...verification.signals.map((each) => line('signal', each.subject, each.outcome, each.detail)),
    ...verification.gates.flatMap((each) => [
      line(
        'gate',
        each.name,
        each.outcome,
        each.detail || (each.findings > 0 ? formatCount(each.findings, 'finding') : ''),
      ),
      ...(each.screenshots ?? []).map(
        ({ name, path, width, height }) =>
          `    ${padEnd('', 12)} screenshot ${toOneLine(name)}${pc.dim(`  ${toOneLine(path)}, ${width} x ${height}`)}`,
      ),
    ]),
  ];
}

const isShown = ({ kind, outcome, verdict, calls }: Judgement): boolean =>
  kind !== 'second_look' || outcome !== 'could_not_run' || verdict !== 'pass' || calls !== 0;

/** What models said, with what it cost to ask them. */
const opinions = ({ verdict }: AttemptView, pc: Colors): string[] =>
  // Where nobody looks a second time there is nothing to show of it; the record says how to have it.
  (verdict?.judgements ?? []).filter(isShown).flatMap((each) => {
    const sure = each.confidence === null ? '' : ` at ${each.confidence.toFixed(2)}`;
    const facts =
      each.model === null
        ? toOneLine(each.because)
        : `${toOneLine(each.model)}, ${formatDollars(each.cost_usd)}`;
    const score = each.grading?.weighted_score ?? null;
    const scored = score === null ? '' : ` (weighted score ${score.toFixed(2)})`;
    return [
      `    ${outcomeStyle(pc, each.outcome)(padEnd(`${each.outcome}${sure}`, 12))} judge ${truncateToWidth(toOneLine(each.subject), DETAIL)}${scored}${pc.dim(`  ${facts}`)}`,
      // Why nobody has looked stands on the line above.
      ...advisoryFindings(each)
        .filter((reason) => reason !== each.because)
        .map((reason) => pc.dim(`        ${truncateToWidth(toOneLine(reason), DETAIL)}`)),
    ];
  });

/** What its failure was taken for, and what told it. */
function failed({ failure, report }: AttemptView, pc: Colors): string[] {
  if (!failure) return [];
  const again =
    failure.retryable === null ? '' : failure.retryable ? ', retryable' : ', not to be tried the same again';
  const { exit_code, signal } = report?.end ?? {};
  const end = exit_code !== undefined ? `; exit code ${exit_code}` : signal ? `; ended by ${signal}` : '';
  const named = failure.class ?? failure.code;
  const finer = failure.class === null || failure.class === failure.code ? '' : ` (${failure.code})`;
  const same = failure.fingerprint === undefined ? '' : `${failure.fingerprint}: ${failure.about ?? ''}`;
  return [
    `    ${pc.dim('failed as')} ${toOneLine(`${named}${finer}${again}, by ${failure.rule}${end}`)}`,
    ...(same === '' ? [] : [`    ${pc.dim('fingerprint')} ${truncateToWidth(toOneLine(same), DETAIL)}`]),
  ];
}

/** Which way the work took through the workflow of its task, and where its review stopped. */
function wayOf({ verdict }: AttemptView, pc: Colors): string[] {
  const way = verdict?.workflow;
  if (!way) return [];
  const taken = way.taken.map(
    ({ node, verdict: word, to }) => `${node} ${word}${to === null ? '' : ` to ${to}`}`,
  );
  const { current_stage: stage } = way.review_pipeline;
  const review = stage === null ? 'review passed' : `review stopped at ${stage}`;
  return [`    ${pc.dim('workflow')} ${toOneLine(`${way.name}: ${[...taken, review].join(', ')}`)}`];
}

const scoreOf = ({ quality_score: score }: AttemptView): string =>
  score === null ? '' : `, quality ${score.total} (${score.grade})`;

/** How the agent was let go, where the base asks for something before. */
function letGo(gate: NonNullable<AttemptView['report']>['verification_gate'], pc: Colors): string[] {
  if (!gate) return [];
  const { tests, compilation } = gate.nudges;
  const told =
    tests + compilation === 0 ? '' : `, told ${tests} of tests and files, ${compilation} of compilation`;
  const colour = gate.state === 'satisfied' ? pc.dim : pc.yellow;
  return [
    `    ${colour(`verification gate ${gate.state}`)}${told}: ${toOneLine([gate.because, ...gate.missing].join('; '))}`,
  ];
}

/** What middleware around the run has found. */
const around = ({ report }: AttemptView, pc: Colors): string[] => {
  const { found = [], more } = report?.middleware ?? {};
  return [
    ...found.map(
      ({ by, kind, code, detail }) =>
        `    ${pc.dim(`${by} (${kind})`)} ${code.replaceAll('_', ' ')}: ${truncateToWidth(toOneLine(detail), DETAIL)}`,
    ),
    ...(more === undefined
      ? []
      : [`    ${pc.dim(`and ${formatCount(more, 'more thing')} found around the run`)}`]),
  ];
};

function renderAttempt(attempt: AttemptView, pc: Colors): string {
  const { verdict, decision, report, verification_failure: unverifiable } = attempt;
  const took = attempt.ended_at && Date.parse(attempt.ended_at) - Date.parse(attempt.started_at);
  const facts = [
    attempt.model ?? 'model not named',
    attempt.tier ?? '',
    `effort ${attempt.effort}`,
    attempt.outcome ?? 'running',
    attempt.judging_cost_usd === 0 ? '' : `judging ${formatDollars(attempt.judging_cost_usd)}`,
    `cost ${attempt.cost_usd === null && attempt.outcome === null ? 'not known yet' : formatDollars(attempt.cost_usd)}`,
    typeof took === 'number' ? formatDuration(took) : '',
  ].filter((fact) => fact !== '');
  const lines = [`  ${pc.bold(`#${attempt.number}`)} ${facts.map(toOneLine).join(' · ')}`];
  if (attempt.route) lines.push(`    ${pc.dim('routed by')} ${toOneLine(attempt.route.reason)}`);
  if (report) lines.push(`    ${pc.dim('agent said')} ${toOneLine(report.summary)}`);
  lines.push(...letGo(report?.verification_gate, pc), ...around(attempt, pc));
  for (const run of report?.logged ?? [])
    lines.push(
      `    ${pc.dim('its log says')} ${run.tool}: ${run.passed ?? '?'} passed, ${run.failed ?? '?'} failed${pc.dim(' (a claim)')}`,
    );
  if (attempt.repeated)
    lines.push(
      `    ${pc.dim('verified again')} by ${toOneLine(attempt.repeated.by)}, was ${attempt.repeated.earlier}: ${toOneLine(attempt.repeated.reason)}`,
    );
  lines.push(...checks(attempt, pc), ...opinions(attempt, pc), ...wayOf(attempt, pc));
  if (unverifiable)
    lines.push(
      `    ${pc.yellow('no evidence')} ${unverifiable.failure_class}: ${toOneLine(unverifiable.message)}`,
    );
  if (verdict) {
    const suffix = verdict.verified ? '' : ' (unverified)';
    lines.push(
      `    verdict ${verdictStyle(pc, verdict.verdict)(verdict.verdict)}${suffix} on tree ${verdict.tree.slice(0, 12)}${scoreOf(attempt)}`,
    );
    lines.push(...verdict.reasons.flatMap((reason) => reasonLines(reason.message, pc)));
  }
  lines.push(...failed(attempt, pc));
  if (decision)
    lines.push(
      `    then ${[decision.strategy?.replace('_', ' '), decision.action].filter(Boolean).join(': ')}${decision.next_model ? ` to ${decision.next_model}` : ''}: ${toOneLine(decision.reason)}`,
    );
  return lines.join('\n');
}

/** Files that go out on a person's word. */
function accepted({ review }: TaskView): string | undefined {
  const named = review?.accepted_files?.map(toOneLine).join(', ');
  return review?.accepted_more === undefined ? named : `${named} and ${review.accepted_more} more`;
}

/** Everything about one task as a page of text. */
export function renderTask(task: TaskView, chain: Chain, pc: Colors): string {
  const status = statusStyle(pc, task.status, task.flagged_unverified)(task.status);
  const lines = [pc.bold(toOneLine(task.title)), field(pc, 'id', task.id)];
  const add = (label: string, value: string | null | undefined): void => {
    if (value !== null && value !== undefined && value !== '') lines.push(field(pc, label, value));
  };
  add('status', `${status}${task.flagged_unverified ? pc.yellow(' (unverified)') : ''}`);
  add('failure', task.failure && pc.red(`${toOneLine(task.failure.code)}: ${renderTaskNote(task)}`));
  add('waits for', task.blocked_reason && toOneLine(task.blocked_reason.message));
  add('held since', task.hold && `${task.hold.since}: ${task.hold.reasons.map(toOneLine).join('; ')}`);
  add('held until', task.hold?.until && `${task.hold.until}, then ${task.hold.outcome}`);
  add(
    'review',
    task.review && toOneLine(`${task.review.decision} by ${task.review.by}: ${task.review.reason}`),
  );
  add('role', `${task.role}, priority ${task.priority}, ${task.scope} scope, ${task.complexity} complexity`);
  add('', task.role_reason && toOneLine(`role ${task.role_reason}`));
  add('repository', toOneLine(`${task.repository} at ${task.base_ref}`));
  add('base', task.base_commit ?? 'not resolved yet');
  add('depends on', task.depends_on.join(', '));
  add('rewired', task.rewired?.map(({ from, to }) => `${to} in place of ${from}, which failed`).join(', '));
  add(
    'partial',
    task.partial &&
      `without ${task.partial.missing.join(', ')}: ${task.partial.share} of its dependencies are done, ${task.partial.threshold} are enough`,
  );
  add(
    'foundation',
    task.foundation &&
      `${task.foundation.dependents} tasks waited for it at ${task.foundation.since}: one attempt more, its quality gate asks for one point less`,
  );
  add(
    'fix-up of',
    task.fix_of && `${task.fix_of.task_id}, number ${task.fix_of.generation} for ${task.fix_of.root}`,
  );
  add('fix-up', task.superseded_by);
  add('files', task.files.map(toOneLine).join(', '));
  add('expects', task.expects.join(', '));
  add('accepted', accepted(task));
  add('created', `${task.created_at} by ${toOneLine(task.created_by)}`);
  add('ended', task.ended_at);
  if (task.verdict) add('verdict', verdictStyle(pc, task.verdict)(task.verdict));
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
  return `${formatDollars(chain.total_cost_usd)}${judging === 0 ? '' : `, of it ${formatDollars(judging)} for judging`}`;
}

function savedText(chain: Chain): string | null {
  if (chain.saved_vs_direct_opus_usd === null) return null;
  const even = chain.break_even_pass_rate;
  return `${formatDollars(chain.saved_vs_direct_opus_usd)} against going straight to the top model${
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
