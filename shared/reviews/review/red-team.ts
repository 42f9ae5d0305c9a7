import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import { type RedTeamSettings, STAKES_LEVELS } from '../../contract/review/review-settings.ts';
import type { Task } from '../../contract/task/task.ts';
import type { ReviewQuestion } from '../engine/ask-model-port.ts';
import type { ReviewPiece } from '../engine/review-piece.ts';
import { reviewQuestion } from '../engine/review-question.ts';
import { PROMPTS } from '../judging/prompts.ts';
import { type RedTeamFinding, RedTeamReport } from './red-team-finding.ts';
import {
  failOpenResult,
  missingInputResult,
  type ReviewGateResult,
  resultOfFindings,
} from './review-gate-result.ts';

export const RED_TEAM_SUBJECT = 'red team';
const MAX_TOKENS = 4_096;

/** Whether the attacker is to look at the work of a task; null: its workflow does not want one, or not for so little. */
export function redTeamSettings({
  workflow_in_force: workflow,
}: Pick<Task, 'workflow_in_force'>): RedTeamSettings | null {
  const settings = workflow?.review.red_team;
  if (!settings?.enabled) return null;
  return STAKES_LEVELS.indexOf(workflow?.review.stakes ?? 'normal') <
    STAKES_LEVELS.indexOf(settings.min_stakes)
    ? null
    : settings;
}

export function redTeamQuestion(
  pieces: readonly ReviewPiece[],
  { timeout_s }: Pick<RedTeamSettings, 'timeout_s'>,
): ReviewQuestion<typeof RedTeamReport> {
  return reviewQuestion(
    {
      prompt: PROMPTS.red_team,
      answerSchema: RedTeamReport,
      maxTokens: MAX_TOKENS,
      timeoutMs: timeout_s * 1_000,
    },
    pieces,
  );
}

/** What findings make of work. */
export const redTeamResult = (
  summary: string,
  findings: readonly RedTeamFinding[],
  autonomy: AutonomyLevel,
  injections: readonly string[],
): ReviewGateResult =>
  resultOfFindings({
    gate: 'red-team',
    summary,
    findings,
    about: ({ attack_surface }) => attack_surface,
    autonomy,
    injections,
  });

/** Nobody has attacked: the gate is open, with a finding that says so, and its faults are counted. */
export const failedOpenRedTeamResult = (
  outcome: 'inert' | 'timed_out' | 'infra_failed',
  why: string,
): ReviewGateResult => failOpenResult(outcome, 'correctness', `nobody attacked this work: ${why}`);

/** Why there is nothing to attack, or null. */
export function missingDeliverableReason(
  { acceptance_criteria }: Pick<Task, 'acceptance_criteria'>,
  { artifact }: Task['attempts'][number],
): string | null {
  if (!artifact || artifact.patch_bytes === 0) return 'no deliverable could be fetched: the patch is empty';
  return acceptance_criteria.length === 0
    ? 'no deliverable could be fetched: the task has no acceptance criteria to attack it by'
    : null;
}

export const missingDeliverableResult = (
  why: string,
  { on_missing_deliverable: then }: RedTeamSettings,
): ReviewGateResult => missingInputResult(why, then);
