import type { Verdict } from '../evidence/schema.ts';
import type { Task } from '../task/task.ts';
import type { ReviewStage } from './kinds.ts';

/** What a stage says of work. `refer`: a person decides; the stages behind it are for after that person's word. */
export type StageVerdict = 'pass' | 'fail' | 'skip' | 'refer';

export interface StageResult {
  readonly stage: string;
  readonly verdict: StageVerdict;
  readonly reason: string | null;
}

/** What stages look at. */
export interface Reviewed {
  readonly task: Pick<Task, 'status' | 'acceptance_criteria'>;
  /** Of evidence and opinions, as it stands when the work comes to review. */
  readonly verdict: Pick<Verdict, 'verdict' | 'reasons'>;
}

type Stage = (reviewed: Reviewed) => Omit<StageResult, 'stage'>;

/** The one stage where a workflow names none: what the janitor has found. */
const verdict: Stage = ({ verdict: { verdict: word, reasons } }) => ({
  verdict: word,
  reason: word === 'pass' ? null : reasons.map(({ message }) => message).join('; ') || null,
});

const internal: Stage = ({ task }) => {
  if (task.status !== 'in_review')
    return { verdict: 'fail', reason: `the task is ${task.status}, not in review` };
  if (task.acceptance_criteria.length === 0)
    return { verdict: 'fail', reason: 'the task has no acceptance criteria' };
  return { verdict: 'pass', reason: null };
};

const person: Stage = () => ({
  verdict: 'refer',
  reason: 'the workflow wants a person to look at each result',
});

export const STAGES = { verdict, internal, person } as const satisfies Readonly<Record<ReviewStage, Stage>>;
