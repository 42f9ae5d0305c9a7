import type { Verdict } from '../../contract/evidence/schema.ts';
import type { Judgement } from '../../contract/judgement/judgement.ts';
import type { Task } from '../../contract/task/task.ts';
import { absentJudgement, skippedJudgement } from '../../reviews/engine/engine.ts';
import { judgingSkipReason } from '../../reviews/reviewers/expected-judgements.ts';
import { RED_TEAM, redTeamSettings } from '../../reviews/reviewers/red-team.ts';
import { VISION, visionSettings } from '../../reviews/reviewers/vision.ts';

/** A reviewer of a workflow: which tasks want it, and which earlier failure keeps it from being asked. */
interface ReviewGate {
  readonly reviewer: typeof RED_TEAM | typeof VISION;
  readonly isWanted: (task: Pick<Task, 'workflow_in_force'>) => boolean;
  readonly after: Readonly<Partial<Record<Judgement['kind'], string>>>;
}

const GRADED_DOWN = { verification: 'not asked: the work was graded down' };
/** In the order in which work comes to them. */
const GATES: readonly ReviewGate[] = [
  { reviewer: RED_TEAM, isWanted: (task) => redTeamSettings(task) !== null, after: GRADED_DOWN },
  {
    reviewer: VISION,
    isWanted: (task) => visionSettings(task) !== null,
    after: { ...GRADED_DOWN, red_team: 'not asked: the red team has sent the work back' },
  },
];

function completeGateJudgement(
  { reviewer, after }: ReviewGate,
  observed: Pick<Verdict, 'verdict'>,
  made: readonly Judgement[],
): Judgement[] {
  const found = made.filter(({ kind }) => kind === reviewer.kind);
  if (found.length > 0) return found;
  const stopped = made.find(({ kind, verdict }) => verdict === 'fail' && after[kind] !== undefined);
  const because = judgingSkipReason(observed) ?? (stopped && after[stopped.kind]) ?? null;
  return [
    because === null
      ? absentJudgement(reviewer, undefined, { code: 'not_returned' })
      : skippedJudgement(reviewer, undefined, because),
  ];
}

/** What the gates of a task's review have said, each that its workflow wants; what did not come back is a fault, and open. */
export const completeReviewGateJudgements = (
  task: Pick<Task, 'workflow_in_force'>,
  observed: Pick<Verdict, 'verdict'>,
  made: readonly Judgement[],
): Judgement[] =>
  GATES.filter(({ isWanted }) => isWanted(task)).flatMap((gate) =>
    completeGateJudgement(gate, observed, made),
  );
