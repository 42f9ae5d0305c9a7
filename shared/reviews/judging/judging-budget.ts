import type { Attempt } from '../../contract/task/attempt.ts';

/** So many attempts of one task are judged by models, whoever asked for them, and for how many rounds. */
export const MAX_JUDGINGS_PER_TASK = 5;
/** So many attempts may mend what models alone had rejected; then a person decides. */
export const MAX_OPINION_ONLY_REJECTIONS = 2;

type Judged = Pick<Attempt, 'number' | 'verdict' | 'repeated'>;

/** Did a model answer, or cost something, or may it have? */
const isJudged = ({ verdict }: Judged): boolean =>
  verdict?.judgements?.some(({ calls }) => calls !== 0) ?? false;

/**
 * How often models were asked about a task, through all rounds and each time that a verdict was made again. The task's own item says
 * it, and each verdict is one conditional write: so nobody has to count.
 */
export const judgingCount = (attempts: readonly Judged[]): number =>
  attempts.reduce((sum, each) => sum + (isJudged(each) ? 1 : 0) + (each.repeated?.times ?? 0), 0);

/** Why no model is asked about a task any more, or null. */
export const judgingBudgetRefusal = (attempts: readonly Judged[]): string | null =>
  judgingCount(attempts) < MAX_JUDGINGS_PER_TASK
    ? null
    : `models have judged this task ${judgingCount(attempts)} times, and ${MAX_JUDGINGS_PER_TASK} are the budget of a task: a person decides`;

/** Was an attempt rejected by models alone: what ran and what was looked at had nothing against it? */
const isOpinionOnly = ({ verdict }: Judged): boolean =>
  verdict?.verdict === 'fail' &&
  verdict.reasons.length > 0 &&
  verdict.reasons.every(({ code }) => code.startsWith('judge_'));

/** Why a person decides in place of another attempt, or null: attempts were made to please a model, and none did. */
export const opinionFixRefusal = (attempts: readonly Judged[]): string | null => {
  const rejected = attempts.filter(isOpinionOnly).length;
  return rejected > MAX_OPINION_ONLY_REJECTIONS
    ? `${rejected} attempts were rejected by models alone, and ${MAX_OPINION_ONLY_REJECTIONS} may mend that`
    : null;
};
