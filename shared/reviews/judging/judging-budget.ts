import { isAdvice } from '../../contract/evidence/advice.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { JudgingRefusal, OpinionFixRefusal } from '../engine/decision-reason.ts';

/** So many attempts of one task are judged by models, whoever asked for them, and for how many rounds. */
export const MAX_JUDGINGS_PER_TASK = 5;
/** So many attempts may mend what models alone had rejected; then a person decides. */
export const MAX_ATTEMPTS_REJECTED_BY_OPINION = 2;

type Judged = Pick<Attempt, 'number' | 'verdict' | 'reverification'>;

/** Did a model answer, or cost something, or may it have? */
const isJudged = ({ verdict }: Judged): boolean =>
  verdict?.judgements?.some(({ calls }) => calls !== 0) ?? false;

/**
 * How often models were asked about a task, through all rounds and each time that a verdict was made again. The task's own item says
 * it, and each verdict is one conditional write: so nobody has to count.
 */
export const countJudgings = (attempts: readonly Judged[]): number =>
  attempts.reduce((sum, each) => sum + (isJudged(each) ? 1 : 0) + (each.reverification?.count ?? 0), 0);

/** Returns why no model is asked about a task any more, or null. */
export function judgingBudgetRefusal(attempts: readonly Judged[]): JudgingRefusal | null {
  const count = countJudgings(attempts);
  return count < MAX_JUDGINGS_PER_TASK
    ? null
    : { code: 'judgings_used', count, limit: MAX_JUDGINGS_PER_TASK };
}

/** Was an attempt rejected by models alone: what ran and what was looked at had nothing against it? */
function isOpinionOnly({ verdict }: Judged): boolean {
  if (verdict?.verdict !== 'fail') return false;
  const reasons = verdict.reasons.filter((reason) => !isAdvice(reason));
  return reasons.length > 0 && reasons.every(({ code }) => code.startsWith('judge_'));
}

/** Returns why a reviewer decides in place of another attempt, or null: attempts to please a model did not. */
export function opinionFixRefusal(attempts: readonly Judged[]): OpinionFixRefusal | null {
  const rejected = attempts.filter(isOpinionOnly).length;
  return rejected > MAX_ATTEMPTS_REJECTED_BY_OPINION
    ? { code: 'opinion_fixes_used', rejected, limit: MAX_ATTEMPTS_REJECTED_BY_OPINION }
    : null;
}
