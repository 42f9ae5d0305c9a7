import type { Evidence } from '../../contract/evidence/schema.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import { currentAttempt, findJudgedAttempt, type Task } from '../../contract/task/task.ts';
import { escapeMarkdown } from '../../lib/escape-markdown.ts';
import {
  describeIndependentResult,
  type GateResult,
  isIndependentGate,
  listIndependentResults,
} from '../verdict/verdict-inputs.ts';
import type { ChangeRequest, CheckAnnotation, CheckConclusion, CheckRun } from './forge.ts';
import { changeRequestMarker, issueNumberOfTask } from './issue-tasks.ts';

/** GitHub takes so many annotations, and more are read by nobody. */
const MAX_ANNOTATIONS = 200;
/** GitHub's limit of a summary is 65,535 bytes; a character of ours has up to four. */
export const MAX_SUMMARY = 16_000;

/** Labels that we put on and take off. */
export const FORGE_LABELS = {
  unverified: 'assay: unverified',
  held: 'assay: waits for a person',
  failed: 'assay: failed',
} as const;

/**
 * Returns the name of the check for work on a base branch. A forge binds a check to a commit alone, and the base configures the gates:
 * without the base in its name, a pull request onto a lax branch would satisfy the check that another branch requires.
 */
export const checkNameOfBase = (base: string): string => `Assay (${base.replace(/^refs\/heads\//, '')})`;

/** What a forge is to say of a task as it stands: a pure function of it, so that whatever comes twice or late comes to the same. */
export interface ForgeTaskReport {
  readonly issue: number | null;
  readonly change: ChangeRequest | null;
  /** The pull request that the task revises. Its check and its labels are those of the head that is pushed, which has a task of its own. */
  readonly revised: number | null;
  readonly check: CheckRun | null;
  readonly comment: { readonly marker: string; readonly body: string };
  readonly labels: { readonly on: readonly string[]; readonly off: readonly string[] };
}

const CONCLUSION_TEXTS: Readonly<Record<CheckConclusion, string>> = {
  success: 'done, on evidence of our own',
  neutral: 'under way',
  failure: 'failed',
  action_required: 'waits for a person',
  cancelled: 'withdrawn',
};

function conclusionOf(task: Task): CheckConclusion {
  if (task.status === 'done') return task.verified === true ? 'success' : 'neutral';
  if (task.status === 'failed') return 'failure';
  if (task.status === 'cancelled') return 'cancelled';
  return task.hold ? 'action_required' : 'neutral';
}

const headline = (task: Task): string =>
  task.status === 'done' && task.verified !== true
    ? 'done without evidence of our own'
    : CONCLUSION_TEXTS[conclusionOf(task)];

export function labelsOf(task: Task): string[] {
  if (task.status === 'done') return task.verified === true ? [] : [FORGE_LABELS.unverified];
  if (task.status === 'failed') return [FORGE_LABELS.failed];
  return task.hold ? [FORGE_LABELS.held] : [];
}

const formatUsd = (usd: number | null): string => (usd === null ? 'not known' : `$${usd.toFixed(4)}`);

const formatEvidenceKind = (kind: string | undefined): string =>
  escapeMarkdown((kind ?? 'not known').replaceAll('_', ' '));

/** Returns the attempt whose evidence is shown. */
function shownAttempt(task: Task): Attempt | null {
  const present = currentAttempt(task);
  return present && findJudgedAttempt(task, present);
}

/** Returns the independent evidence as a list, which comes before all other evidence. */
export function independentLines(task: Task): string[] {
  const results = listIndependentResults(shownAttempt(task) ?? { verification: null });
  return results.length === 0
    ? []
    : [
        'Independent evidence:',
        '',
        ...results.map((each) => `- ${escapeMarkdown(describeIndependentResult(each))}`),
        '',
      ];
}

/** The evidence of the current attempt as a table, with what is said against it. */
export function evidenceLines(task: Task): string[] {
  const attempt = shownAttempt(task);
  const found = attempt?.verification;
  const gateRow = ({ name, kind, outcome, required, finding_count: findings }: GateResult): string =>
    `| ${escapeMarkdown(name)}${required ? '' : ' (not required)'} | ${outcome.replaceAll('_', ' ')} | ${formatEvidenceKind(kind)} | ${findings === 0 ? '' : findings} |`;
  const rows = [
    ...listIndependentResults({ verification: found ?? null }).map(gateRow),
    ...(found?.signals ?? []).map(
      ({ type, subject, kind, outcome }) =>
        `| ${escapeMarkdown(`${type}: ${subject}`)} | ${outcome.replace('_', ' ')} | ${formatEvidenceKind(kind)} | |`,
    ),
    ...(found?.gates ?? []).filter((each) => !isIndependentGate(each)).map(gateRow),
  ];
  const reasons = attempt?.verdict?.reasons ?? [];
  return [
    ...(rows.length === 0
      ? ['Nothing was checked.']
      : ['| Check | Outcome | Evidence | Findings |', '|---|---|---|---|', ...rows]),
    ...(reasons.length === 0
      ? []
      : ['', ...reasons.slice(0, 20).map(({ message }) => `- ${escapeMarkdown(message)}`)]),
  ];
}

function summaryOf(task: Task): string {
  const attempt = currentAttempt(task);
  const known = task.attempts.flatMap(({ cost_usd }) => (cost_usd === null ? [] : [cost_usd]));
  const cost = known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0);
  const more = [
    ...(task.failure ? [`Why: ${escapeMarkdown(task.failure.message)}`, ''] : []),
    ...(task.hold
      ? [
          'A person decides:',
          '',
          ...task.hold.reasons.slice(0, 20).map((reason) => `- ${escapeMarkdown(reason)}`),
          '',
          `\`assay review ${task.id}\` shows the work, and approves or rejects it.`,
          '',
        ]
      : []),
  ];
  return [
    `**Assay: ${headline(task)}.** Task \`${task.id}\`, ${task.attempts.length} attempts, models cost ${formatUsd(cost)}.`,
    '',
    ...independentLines(task),
    ...more,
    ...evidenceLines(task),
    '',
    attempt?.artifact
      ? `Judged: tree \`${attempt.artifact.tree.slice(0, 12)}\` on base \`${attempt.artifact.base_commit.slice(0, 12)}\`. \`assay task ${task.id}\` has all of it.`
      : `\`assay task ${task.id}\` has all of it.`,
  ]
    .join('\n')
    .slice(0, MAX_SUMMARY);
}

/** Places in the tree that gates complain about: those that block first. */
export function buildFindingAnnotations(evidence: Pick<Evidence, 'gates'>): CheckAnnotation[] {
  const gates = evidence.gates.toSorted((one, other) => Number(other.blocked) - Number(one.blocked));
  return gates
    .flatMap((gate) =>
      gate.findings.flatMap(({ file, line, rule, message }): CheckAnnotation[] =>
        file === null
          ? []
          : [
              {
                path: file,
                line: line ?? 1,
                level: gate.blocked ? 'failure' : gate.outcome === 'passed' ? 'notice' : 'warning',
                title: `${gate.name}: ${rule}`.slice(0, 255),
                message: message.slice(0, 4_000) || rule,
              },
            ],
      ),
    )
    .slice(0, MAX_ANNOTATIONS);
}

export function buildForgeTaskReport(task: Task, evidence: Pick<Evidence, 'gates'> | null): ForgeTaskReport {
  const summary = summaryOf(task);
  const delivered = task.delivery?.state === 'delivered' ? task.delivery : null;
  const marker = changeRequestMarker(task.id);
  const issue = issueNumberOfTask(task);
  const on = labelsOf(task);
  return {
    issue,
    change:
      delivered?.branch && task.delivery_mode === 'pull_request'
        ? {
            branch: delivered.branch,
            base: task.base_ref.replace(/^refs\/heads\//, ''),
            title: task.title.replace(/\s+/g, ' ').slice(0, 250),
            body: `${marker}\n${issue === null ? '' : `Closes #${issue}.\n\n`}${summary}`,
          }
        : null,
    revised: task.revision_of?.number ?? null,
    check:
      delivered?.commit && !task.revision_of
        ? {
            id: `${task.id}#${currentAttempt(task)?.number ?? 0}`,
            name: checkNameOfBase(task.base_ref),
            commit: delivered.commit,
            conclusion: conclusionOf(task),
            title: `Assay: ${headline(task)}`,
            summary,
            annotations: evidence ? buildFindingAnnotations(evidence) : [],
          }
        : null,
    comment: { marker, body: `${marker}\n${summary}` },
    labels: { on, off: Object.values(FORGE_LABELS).filter((label) => !on.includes(label)) },
  };
}
