import type { Verdict } from '../../contract/evidence/schema.ts';
import {
  type Judgement,
  NO_ANSWER,
  NOBODY_ASKED,
  NOBODY_CAME_BACK,
} from '../../contract/judgement/judgement.ts';
import type { GradingRecord } from '../../contract/rubric/grading.ts';
import type { Task } from '../../contract/task/task.ts';
import type { VerificationInForce } from '../../contract/workflow/in-force.ts';
import { needless } from '../../reviews/judging/asked.ts';

/** The verification nodes of a task at which somebody is asked, in the order in which work comes to them. */
export const gradedBy = ({
  workflow_in_force: workflow,
}: Pick<Task, 'workflow_in_force'>): VerificationInForce[] =>
  workflow?.verifications.filter(({ grader }) => grader !== 'evidence') ?? [];

export const subjectOf = ({ node, rubric }: Pick<VerificationInForce, 'node' | 'rubric'>): string =>
  `verification ${node}: ${rubric?.name ?? 'no rubric'}`;

/** What a grading is of, before anything has come of it. */
export const emptyGrading = ({ node, rubric, decomposer, grader }: VerificationInForce): GradingRecord => ({
  node,
  rubric: rubric?.name ?? '',
  decomposer,
  grader,
  grades: {},
  weighted_score: null,
  handoff: null,
});

/** The judgement of a node at which nobody has graded. Only what was not needed says nothing; all else is for a person. */
export const ungraded = (
  of: VerificationInForce,
  outcome: 'skipped' | 'inert' | 'timed_out' | 'infra_failed',
  because: string,
): Judgement => ({
  kind: 'verification',
  subject: subjectOf(of),
  calibration: null,
  ...NOBODY_ASKED,
  outcome,
  verdict: outcome === 'skipped' ? 'pass' : 'refer',
  grading: emptyGrading(of),
  reasons: [because],
  because,
});

/** A judgement for each node, and for each time that criteria were taken apart: what did not come back is one too. */
export function allGradings(
  task: Pick<Task, 'workflow_in_force'>,
  observed: Pick<Verdict, 'verdict'>,
  made: readonly Judgement[],
): Judgement[] {
  const because = needless(observed);
  return gradedBy(task).flatMap((of) => {
    if (because !== null) return [ungraded(of, 'skipped', because)];
    const found = made.filter(({ grading }) => grading?.node === of.node);
    return found.some(({ kind }) => kind === 'verification')
      ? found
      : [...found, { ...ungraded(of, 'infra_failed', NO_ANSWER), calls: NOBODY_CAME_BACK.calls }];
  });
}
