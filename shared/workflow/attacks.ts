import type { Verdict } from '../evidence/schema.ts';
import { needless } from '../judging/asked.ts';
import { type Judgement, NOBODY_ASKED } from '../judging/judgement.ts';
import { openFault, RED_TEAM_SUBJECT, redTeamOf } from '../review/red-team.ts';
import type { Task } from '../task/task.ts';

/** The attack on the work of a task, where its workflow wants one; what did not come back is a fault, and open. */
export function allAttacks(
  task: Pick<Task, 'workflow_in_force'>,
  observed: Pick<Verdict, 'verdict'>,
  made: readonly Judgement[],
): Judgement[] {
  if (redTeamOf(task) === null) return [];
  const found = made.filter(({ kind }) => kind === 'red_team');
  if (found.length > 0) return found;
  const because =
    needless(observed) ??
    (made.some(({ kind, verdict }) => kind === 'verification' && verdict === 'fail')
      ? 'not asked: the work was graded down'
      : null);
  const head = { ...NOBODY_ASKED, kind: 'red_team' as const, subject: RED_TEAM_SUBJECT, calibration: null };
  return because === null
    ? [
        {
          ...head,
          ...openFault('infra_failed', 'the judging step gave no answer'),
          because: 'the judging step gave no answer',
        },
      ]
    : [{ ...head, outcome: 'skipped', verdict: 'pass', reasons: [because], because }];
}
