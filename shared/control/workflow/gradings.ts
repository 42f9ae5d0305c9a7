import type { Verdict } from '../../contract/evidence/schema.ts';
import {
  type Judgement,
  NO_ANSWER_REASON,
  NO_CALL_USAGE,
  UNKNOWN_CALL_USAGE,
} from '../../contract/judgement/judgement.ts';
import type { GradingRecord } from '../../contract/rubric/grading-record.ts';
import type { Task } from '../../contract/task/task.ts';
import type { ResolvedVerification } from '../../contract/workflow/resolved-workflow.ts';
import { judgingSkipReason } from '../../reviews/reviewers/expected-judgements.ts';

/** The verification nodes of a task at which somebody is asked, in the order in which work comes to them. */
export const listGradedNodes = ({
  workflow_in_force: workflow,
}: Pick<Task, 'workflow_in_force'>): ResolvedVerification[] =>
  workflow?.verifications.filter(({ grader }) => grader !== 'evidence') ?? [];

export const gradingSubject = ({ node, rubric }: Pick<ResolvedVerification, 'node' | 'rubric'>): string =>
  `verification ${node}: ${rubric?.name ?? 'no rubric'}`;

/** What a grading is of, before anything has come of it. */
export const createEmptyGrading = ({
  node,
  rubric,
  decomposer,
  grader,
}: ResolvedVerification): GradingRecord => ({
  node,
  rubric: rubric?.name ?? '',
  decomposer,
  grader,
  grades: {},
  weighted_score: null,
  handoff: null,
});

/** The judgement of a node at which nobody has graded. Only what was not needed says nothing; all else is for a person. */
export const createUngradedJudgement = (
  of: ResolvedVerification,
  outcome: 'skipped' | 'could_not_run' | 'timed_out' | 'infra_failed',
  because: string,
): Judgement => ({
  kind: 'verification',
  subject: gradingSubject(of),
  calibration: null,
  ...NO_CALL_USAGE,
  outcome,
  verdict: outcome === 'skipped' ? 'pass' : 'refer',
  grading: createEmptyGrading(of),
  reasons: [because],
  because,
});

/** A judgement for each node, and for each time that criteria were taken apart: what did not come back is one too. */
export function completeGradingJudgements(
  task: Pick<Task, 'workflow_in_force'>,
  observed: Pick<Verdict, 'verdict'>,
  made: readonly Judgement[],
): Judgement[] {
  const because = judgingSkipReason(observed);
  return listGradedNodes(task).flatMap((of) => {
    if (because !== null) return [createUngradedJudgement(of, 'skipped', because)];
    const found = made.filter(({ grading }) => grading?.node === of.node);
    return found.some(({ kind }) => kind === 'verification')
      ? found
      : [
          ...found,
          {
            ...createUngradedJudgement(of, 'infra_failed', NO_ANSWER_REASON),
            calls: UNKNOWN_CALL_USAGE.calls,
          },
        ];
  });
}
