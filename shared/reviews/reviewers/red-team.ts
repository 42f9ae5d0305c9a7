import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import { type RedTeamSettings, WORK_STAKES_LEVELS } from '../../contract/review/review-settings.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { describeReviewDecisionReason, type MissingDeliverableReason } from '../engine/decision-reason.ts';
import type { JudgingReviewer } from '../engine/reviewer.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';
import { listGroundingFindings } from '../review/grounding.ts';
import { RedTeamReport } from '../review/red-team-finding.ts';
import { createMissingDeliverableOpinion, opinionOnFindings } from '../review/review-gate-result.ts';

/** Returns the settings of the red team for a task; null: its workflow does not want one, or not at these stakes. */
export function redTeamSettings({
  resolved_workflow: workflow,
}: Pick<Task, 'resolved_workflow'>): RedTeamSettings | null {
  const settings = workflow?.review.red_team;
  if (!settings?.enabled) return null;
  return WORK_STAKES_LEVELS.indexOf(workflow?.review.stakes ?? 'normal') <
    WORK_STAKES_LEVELS.indexOf(settings.min_stakes)
    ? null
    : settings;
}

/** Returns why there is nothing to attack, or null. */
export function findMissingDeliverableReason(
  { acceptance_criteria }: Pick<Task, 'acceptance_criteria'>,
  { artifact }: Task['attempts'][number],
): MissingDeliverableReason | null {
  if (!artifact || artifact.patch_bytes === 0) return { code: 'no_deliverable' };
  return acceptance_criteria.length === 0 ? { code: 'no_criteria_to_attack_by' } : null;
}

export interface RedTeamInput {
  readonly task: Task;
  readonly attempt: Attempt;
  readonly settings: RedTeamSettings;
  readonly autonomy: AutonomyLevel;
}

export const RED_TEAM_REVIEWER = {
  kind: 'red_team',
  purpose: 'red_team',
  family: 'other',
  prompt: JUDGE_PROMPTS.red_team,
  answerSchema: () => RedTeamReport,
  maxTokens: 4_096,
  timeoutMs: ({ settings }) => settings.timeout_s * 1_000,
  shows: ['task', 'observed', 'diff', 'agent_summary'],
  head: () => ({ subject: 'red team' }),
  because: () => 'asked: the workflow has its work attacked',
  precheck: ({ task, attempt, settings }) => {
    const missing = findMissingDeliverableReason(task, attempt);
    return (
      missing &&
      createMissingDeliverableOpinion(describeReviewDecisionReason(missing), settings.on_missing_deliverable)
    );
  },
  decide: ({ summary, findings }, { attempt, settings, autonomy }) => {
    const claims =
      settings.grounding === 'heuristic' ? listGroundingFindings(attempt.report?.summary ?? '') : [];
    return opinionOnFindings({
      gate: 'red-team',
      summary,
      findings: [...findings, ...claims],
      about: ({ attack_surface }) => attack_surface,
      autonomy,
    });
  },
  absent: () => 'pass_with_finding',
  after: { verification: { code: 'graded_down' } },
  absenceOpinion: (why) => ({
    reasons: [`info correctness: nobody attacked this work: ${why}`.slice(0, 1_000)],
  }),
} satisfies JudgingReviewer<typeof RedTeamReport, RedTeamInput, unknown>;
