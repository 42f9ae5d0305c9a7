import type { Verdict } from '../../contract/evidence/schema.ts';
import {
  type Judgement,
  NO_ANSWER_REASON,
  NO_CALL_USAGE,
  UNKNOWN_CALL_USAGE,
} from '../../contract/judgement/judgement.ts';
import type { Task } from '../../contract/task/task.ts';
import { judgingSkipReason } from '../../reviews/judging/expected-judgements.ts';
import { failedOpenRedTeamResult, RED_TEAM_SUBJECT, redTeamSettings } from '../../reviews/review/red-team.ts';
import {
  failedOpenVisionResult,
  VISION_SUBJECT,
  visionSettings,
} from '../../reviews/review/vision/vision-review.ts';

/** A gate of a review: who wants it, what sends work back before it, and what it is where nothing came back. */
interface ReviewGate {
  readonly kind: 'red_team' | 'vision';
  readonly subject: string;
  readonly isWanted: (task: Pick<Task, 'workflow_in_force'>) => boolean;
  readonly after: Readonly<Partial<Record<Judgement['kind'], string>>>;
  readonly open: typeof failedOpenRedTeamResult;
}

const GRADED_DOWN = { verification: 'not asked: the work was graded down' };
/** In the order in which work comes to them. */
const GATES: readonly ReviewGate[] = [
  {
    kind: 'red_team',
    subject: RED_TEAM_SUBJECT,
    isWanted: (task) => redTeamSettings(task) !== null,
    after: GRADED_DOWN,
    open: failedOpenRedTeamResult,
  },
  {
    kind: 'vision',
    subject: VISION_SUBJECT,
    isWanted: (task) => visionSettings(task) !== null,
    after: { ...GRADED_DOWN, red_team: 'not asked: the red team has sent the work back' },
    open: failedOpenVisionResult,
  },
];

function completeGateJudgement(
  { kind, subject, after, open }: ReviewGate,
  observed: Pick<Verdict, 'verdict'>,
  made: readonly Judgement[],
): Judgement[] {
  const found = made.filter((each) => each.kind === kind);
  if (found.length > 0) return found;
  const stopped = made.find((each) => each.verdict === 'fail' && after[each.kind] !== undefined);
  const because = judgingSkipReason(observed) ?? (stopped && after[stopped.kind]) ?? null;
  const head = { kind, subject, calibration: null };
  return because === null
    ? [
        {
          ...head,
          ...UNKNOWN_CALL_USAGE,
          ...open('infra_failed', NO_ANSWER_REASON),
          because: NO_ANSWER_REASON,
        },
      ]
    : [{ ...head, ...NO_CALL_USAGE, outcome: 'skipped', verdict: 'pass', reasons: [because], because }];
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
