import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { Judgement } from '../../contract/judgement/judgement.ts';
import type { JudgeModel } from '../../contract/models/judge-models.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { type ReviewerContext, runReviewer } from '../../reviews/engine/engine.ts';
import type { ReviewPiece } from '../../reviews/engine/review-piece.ts';
import { RED_TEAM_REVIEWER, redTeamSettings } from '../../reviews/review/red-team.ts';

export interface RedTeamContext extends Pick<ReviewerContext, 'ask' | 'budgetRefusal' | 'now'> {
  readonly redTeamModel: JudgeModel | undefined;
  readonly autonomy: AutonomyLevel;
}

const MAX_SUMMARY_CHARS = 4_000;

/** Returns the red team's judgement of an attempt; none where the task's workflow does not want one. */
export async function runRedTeam(
  task: Task,
  attempt: Attempt,
  pieces: readonly ReviewPiece[],
  { redTeamModel, autonomy, ...context }: RedTeamContext,
): Promise<Judgement[]> {
  const settings = redTeamSettings(task);
  if (!settings) return [];
  const summary: ReviewPiece = {
    kind: 'agent_summary',
    label: 'what the agent says of its work',
    text: (attempt.report?.summary ?? '').slice(0, MAX_SUMMARY_CHARS),
  };
  return [
    await runReviewer(
      RED_TEAM_REVIEWER,
      { task, attempt, settings, autonomy },
      () => ({ pieces: [...pieces, summary] }),
      { ...context, model: redTeamModel, writer: attempt.model },
    ),
  ];
}
