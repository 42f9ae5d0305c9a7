import type { Evidence } from '../../contract/evidence/schema.ts';
import type { PullRequestFields } from '../../contract/task/task.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { escapeMarkdown } from '../../lib/escape-markdown.ts';
import type { CheckConclusion, CheckRun } from './forge.ts';
import {
  buildFindingAnnotations,
  checkNameOfBase,
  evidenceLines,
  FORGE_LABELS,
  independentLines,
  labelsOf,
  MAX_SUMMARY,
} from './forge-report.ts';
import type { PullRequestSelection } from './forge-settings.ts';

/** What a forge is to say of the pull request that a task verifies: a pure function of the task. */
export interface PullRequestReport {
  readonly check: CheckRun;
  /** Null for a merge group, which has nothing that could be commented on. */
  readonly comment: { readonly marker: string; readonly body: string } | null;
  readonly labels: { readonly on: readonly string[]; readonly off: readonly string[] };
}

/** A task with the pull request that it verifies. */
export type PullRequestTask = Task & { readonly pull_request: PullRequestFields };

/** First line of the one comment that a pull request has of all its verifications. */
export const PULL_REQUEST_MARKER = '<!-- assay verification -->';

/** First line of the answer to a comment, or to a review (`review-N`). */
export const pullRequestReplyMarker = (comment: number | string): string =>
  `<!-- assay answer to ${comment} -->`;

/** Returns the comment that approves the held work of a head commit. */
export const approvalLine = ({ head_commit }: Pick<PullRequestFields, 'head_commit'>): string =>
  `/assay approve ${head_commit.slice(0, 12)} REASON`;

/** Failures that are of the work itself; after any other, nobody knows whether the work is right. */
const FAILURES_OF_WORK: ReadonlySet<string> = new Set(['verification_failed', 'patch_does_not_apply']);

interface Result {
  readonly conclusion: CheckConclusion;
  readonly headline: string;
}

/** Returns how a verification stands, or null while it is under way or once it is cancelled. */
function resultOf(task: Task, unverified: PullRequestSelection['unverified']): Result | null {
  const { status, review, failure } = task;
  if (status === 'done' && task.verified === true) return { conclusion: 'success', headline: 'passed' };
  if (status === 'done' && review?.decision === 'approve')
    return { conclusion: 'success', headline: 'approved by a reviewer, without evidence of its own' };
  if (status === 'done')
    return { conclusion: unverified, headline: 'unverified: nothing was found to check it with' };
  if (status === 'failed')
    return FAILURES_OF_WORK.has(failure?.code ?? '')
      ? {
          conclusion: 'failure',
          headline: failure?.code === 'patch_does_not_apply' ? 'conflicts with its base' : 'failed',
        }
      : { conclusion: 'action_required', headline: 'could not be verified' };
  return status !== 'cancelled' && task.hold
    ? { conclusion: 'action_required', headline: 'needs review' }
    : null;
}

const REQUIREMENT_STATES = { met: 'met', not_met: '**not met**', cannot_tell: 'cannot tell' } as const;

/** The table of the requirements that a reviewer read in the task, with the place where each is met. */
function requirementLines(task: Task): string[] {
  const judgements = currentAttempt(task)?.verdict?.judgements ?? [];
  const rows = judgements.flatMap(({ requirements = [] }) => requirements);
  if (rows.length === 0) return [];
  return [
    '| Requirement | State | Where |',
    '|---|---|---|',
    ...rows.slice(0, 50).map(({ requirement, state, file, line }) => {
      const place = file === null ? '' : `${file}${line === null ? '' : `:${line}`}`;
      return `| ${escapeMarkdown(requirement)} | ${REQUIREMENT_STATES[state]} | ${escapeMarkdown(place)} |`;
    }),
    '',
  ];
}

const MAX_LISTED = 20;

function reasonLines(task: Task): string[] {
  const lines = (title: string, texts: readonly string[]): string[] =>
    texts.length === 0 ? [] : [title, '', ...texts.map((text) => `- ${escapeMarkdown(text)}`), ''];
  if (task.hold)
    return [
      ...lines('A reviewer decides, because:', task.hold.reasons.slice(0, MAX_LISTED)),
      ...(task.pull_request
        ? [
            `Comment \`${approvalLine(task.pull_request)}\` to approve. The author of the pull request cannot.`,
          ]
        : []),
      '',
    ];
  const failing = currentAttempt(task)?.verification?.failed_checks ?? [];
  if (task.status === 'failed' && failing.length > 0)
    return lines(
      'Failing:',
      failing.slice(0, MAX_LISTED).map(({ check, message }) => `${check}: ${message}`),
    );
  return task.failure ? [`Why: ${escapeMarkdown(task.failure.message)}`, ''] : [];
}

function summaryOf(task: PullRequestTask, { headline }: Result): string {
  const { head_commit, issues, from_fork } = task.pull_request;
  const artifact = currentAttempt(task)?.artifact;
  const base = (artifact?.base_commit ?? task.base_commit)?.slice(0, 12);
  const read = issues.length === 0 ? '' : `, with issue ${issues.join(', ')}`;
  return [
    `**Assay: ${headline}.** Head \`${head_commit.slice(0, 12)}\`${base ? ` on base \`${base}\`` : ''}.`,
    '',
    ...independentLines(task),
    ...reasonLines(task),
    ...requirementLines(task),
    ...evidenceLines(task),
    '',
    `Judged by title and text${read}${from_fork ? '; from a fork, without credentials' : ''}. Task \`${task.id}\`.`,
    'Comments that collaborators can give: `/assay verify`, `/assay explain`.',
  ]
    .join('\n')
    .slice(0, MAX_SUMMARY);
}

/**
 * Returns the report, or null where there is nothing to say: the verification is under way, and another event brings its result; or it is
 * cancelled, and another one reports in its place or the pull request is closed. A check of it that is there stays as it is.
 */
export function buildPullRequestReport(
  task: PullRequestTask,
  evidence: Pick<Evidence, 'gates'> | null,
  unverified: PullRequestSelection['unverified'],
): PullRequestReport | null {
  const { kind, head_commit, base_branch } = task.pull_request;
  const result = resultOf(task, unverified);
  if (result === null) return null;
  const summary = summaryOf(task, result);
  const on = labelsOf(task);
  return {
    check: {
      id: `${task.id}#${currentAttempt(task)?.number ?? 0}`,
      name: checkNameOfBase(base_branch),
      commit: head_commit,
      conclusion: result.conclusion,
      title: `Assay: ${result.headline}`,
      summary,
      annotations: evidence ? buildFindingAnnotations(evidence) : [],
    },
    comment:
      kind === 'merge_group'
        ? null
        : { marker: PULL_REQUEST_MARKER, body: `${PULL_REQUEST_MARKER}\n${summary}` },
    labels: { on, off: Object.values(FORGE_LABELS).filter((label) => !on.includes(label)) },
  };
}

const MAX_DETAIL = 400;

/** Explains a verification in full: each check with its detail, each opinion with its reasons. */
export function buildPullRequestExplanation(task: Task): string {
  const attempt = currentAttempt(task);
  const { verification, verdict } = attempt ?? { verification: null, verdict: null };
  const checks = [
    ...(verification?.signals ?? []).map(({ type, subject, outcome, detail }) => ({
      name: `${type}: ${subject}`,
      outcome,
      detail,
    })),
    ...(verification?.gates ?? []),
  ].map(
    ({ name, outcome, detail }) =>
      `- ${escapeMarkdown(name)}: ${outcome.replaceAll('_', ' ')}. ${escapeMarkdown(detail.slice(0, MAX_DETAIL))}`,
  );
  const opinions = (verdict?.judgements ?? []).map(
    ({ kind, verdict: said, reasons }) =>
      `- ${escapeMarkdown(kind.replaceAll('_', ' '))}: ${said}. ${escapeMarkdown(reasons.join('; ').slice(0, MAX_DETAIL))}`,
  );
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [`**${title}**`, '', ...lines, ''];
  const reasons = (verdict?.reasons ?? []).map(({ message }) => `- ${escapeMarkdown(message)}`);
  return [
    `Task \`${task.id}\` is ${task.status}; verdict: ${verdict?.verdict ?? 'none yet'}.`,
    '',
    ...reasonLines(task),
    ...section('Why', reasons.slice(0, MAX_LISTED)),
    ...section('What was run and looked at', checks),
    ...section('What models said', opinions),
  ]
    .join('\n')
    .slice(0, MAX_SUMMARY);
}
