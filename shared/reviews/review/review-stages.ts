import type { Verdict } from '../../contract/evidence/schema.ts';
import type { ReviewSettings } from '../../contract/review/review-settings.ts';
import type { ReviewStage } from '../../contract/review/review-stage-names.ts';
import type { Task } from '../../contract/task/task.ts';
import { clientForAttempt, describeRejection, getSimulatedClientFeedback } from './review-client.ts';

/** What a stage says of work. `refer`: a person decides; the stages behind it are for after that person's word. */
export type ReviewStageVerdict = 'pass' | 'fail' | 'skip' | 'refer';

export interface ReviewStageResult {
  readonly stage: string;
  readonly verdict: ReviewStageVerdict;
  readonly reason: string | null;
}

/** What stages look at. */
export interface ReviewStageInput {
  readonly task: Pick<Task, 'status' | 'acceptance_criteria' | 'title' | 'description' | 'attempts'>;
  /** Of evidence and opinions, as it stands when the work comes to review. */
  readonly verdict: Pick<Verdict, 'verdict' | 'reasons' | 'judgements'>;
  readonly settings: Pick<ReviewSettings, 'require_all_criteria_met' | 'clients'>;
}

type ReviewStageFunction = (reviewed: ReviewStageInput) => Omit<ReviewStageResult, 'stage'>;

/** The one stage where a workflow names none: what the janitor has found. */
const verdict: ReviewStageFunction = ({ verdict: { verdict: word, reasons } }) => ({
  verdict: word,
  reason: word === 'pass' ? null : reasons.map(({ message }) => message).join('; ') || null,
});

/**
 * Every criterion has its probe at every node, so a node that passes the work says that all are met, and one that does not, that none can be
 * counted on. Where nobody has graded, a person decides: not looked at is not failed.
 */
function criteriaMet({
  task,
  verdict: { judgements = [] },
}: ReviewStageInput): Omit<ReviewStageResult, 'stage'> {
  const graded = judgements.filter(({ kind }) => kind === 'verification');
  const count = task.acceptance_criteria.length;
  const down = graded.find(({ verdict: word }) => word === 'fail');
  if (down) return { verdict: 'fail', reason: `${count} acceptance criteria are not met: ${down.subject}` };
  const isPassed = graded.every(({ verdict: word, outcome }) => word === 'pass' && outcome === 'passed');
  return graded.length > 0 && isPassed
    ? { verdict: 'pass', reason: null }
    : { verdict: 'refer', reason: `nobody has said that the ${count} acceptance criteria are met` };
}

const internal: ReviewStageFunction = (reviewed) => {
  const { task, settings } = reviewed;
  if (task.status !== 'in_review')
    return { verdict: 'fail', reason: `the task is ${task.status}, not in review` };
  if (task.acceptance_criteria.length === 0)
    return { verdict: 'fail', reason: 'the task has no acceptance criteria' };
  return settings.require_all_criteria_met ? criteriaMet(reviewed) : { verdict: 'pass', reason: null };
};

/** What the work is said to be: by who did it, else by the task. */
const deliverableOf = ({ attempts, description, title }: ReviewStageInput['task']): string =>
  [attempts.at(-1)?.report?.summary, description, title].find((text) => text?.trim()) ?? '';

const client: ReviewStageFunction = ({ task, settings: { clients } }) => {
  const asked = clientForAttempt(clients, task.attempts.length);
  if (!asked) return { verdict: 'skip', reason: 'there is no client' };
  const { rejection, unmet } = getSimulatedClientFeedback(asked, {
    deliverable: deliverableOf(task),
    criteria: task.acceptance_criteria,
  });
  if (rejection === null) return { verdict: 'pass', reason: `client ${asked.id} accepts it` };
  const missed = unmet.length === 0 ? '' : `; not met: ${unmet.join('; ')}`;
  return { verdict: 'fail', reason: `client ${asked.id} ${describeRejection(rejection)}${missed}` };
};

const person: ReviewStageFunction = () => ({
  verdict: 'refer',
  reason: 'the workflow wants a person to look at each result',
});

export const REVIEW_STAGE_RUNNERS = { verdict, internal, client, person } as const satisfies Readonly<
  Record<ReviewStage, ReviewStageFunction>
>;
