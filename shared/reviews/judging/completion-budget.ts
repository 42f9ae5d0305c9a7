import type { Attempt } from '../../contract/task/attempt.ts';

/** So many attempts of one task are judged by models, whoever asked for them, and for how many rounds. */
export const MAX_JUDGED = 5;
/** So many attempts may mend what models alone had rejected; then a person decides. */
export const MAX_FIXES = 2;

type Judged = Pick<Attempt, 'number' | 'verdict' | 'repeated'>;

/** Did a model answer, or cost something, or may it have? */
const isJudged = ({ verdict }: Judged): boolean =>
  verdict?.judgements?.some(({ calls }) => calls !== 0) ?? false;

/**
 * How often models were asked about a task, through all rounds and each time that a verdict was made again. The task's own item says
 * it, and each verdict is one conditional write: so nobody has to count.
 */
export const timesJudged = (attempts: readonly Judged[]): number =>
  attempts.reduce((sum, each) => sum + (isJudged(each) ? 1 : 0) + (each.repeated?.times ?? 0), 0);

/** Why no model is asked about a task any more, or null. */
export const judgingSpent = (attempts: readonly Judged[]): string | null =>
  timesJudged(attempts) < MAX_JUDGED
    ? null
    : `models have judged this task ${timesJudged(attempts)} times, and ${MAX_JUDGED} are the budget of a task: a person decides`;

/** Was an attempt rejected by models alone: what ran and what was looked at had nothing against it? */
const isOpinionOnly = ({ verdict }: Judged): boolean =>
  verdict?.verdict === 'fail' &&
  verdict.reasons.length > 0 &&
  verdict.reasons.every(({ code }) => code.startsWith('judge_'));

/** Why a person decides in place of another attempt, or null: attempts were made to please a model, and none did. */
export const fixesSpent = (attempts: readonly Judged[]): string | null => {
  const rejected = attempts.filter(isOpinionOnly).length;
  return rejected > MAX_FIXES
    ? `${rejected} attempts were rejected by models alone, and ${MAX_FIXES} may mend that`
    : null;
};
