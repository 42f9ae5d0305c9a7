import type { Verdict } from '../../contract/evidence/schema.ts';
import type { Task } from '../../contract/task/task.ts';
import type { WorkflowOutcome } from '../../contract/workflow/workflow-outcome.ts';
import type { ReviewStageInput } from '../../reviews/review/review-stages.ts';
import { runReviewStages } from '../../reviews/review/run-review-stages.ts';
import { mostSevereVerdict } from '../verdict/join-judgements.ts';
import { orderReasons } from '../verdict/order-reasons.ts';

/** Which way the work took out of each verification node: the first that did not pass is the last that it came to. */
function listTakenRoutes(
  { resolved_workflow: workflow }: Pick<Task, 'resolved_workflow'>,
  verdict: Verdict,
): WorkflowOutcome['routes'] {
  const ways: WorkflowOutcome['routes'] = [];
  for (const { node, grader, routes } of workflow?.verifications ?? []) {
    const word =
      grader === 'evidence'
        ? verdict.verdict
        : verdict.judgements?.find((each) => each.kind === 'verification' && each.grading?.node === node);
    // Not asked, since what was observed has failed: no opinion lets that out of its node by another way.
    const went =
      typeof word === 'object'
        ? word.outcome === 'skipped'
          ? verdict.verdict
          : word.verdict
        : (word ?? 'refer');
    const { target: to, skipped_nodes: skipped } = routes[went];
    const graded = typeof word === 'object' && word.outcome !== 'skipped';
    ways.push({ node, verdict: went, is_graded: graded, target: to, skipped_nodes: skipped });
    if (went !== 'pass') break;
  }
  return ways;
}

/**
 * Takes a verdict through the review that its workflow has, and writes down how the workflow went. A review adds doubt or a fail, and never
 * takes anything away; a task that names no workflow has its verdict as it is.
 */
export function applyWorkflowReview(
  task: Pick<Task, 'resolved_workflow'> & ReviewStageInput['task'],
  verdict: Verdict,
): Verdict {
  const workflow = task.resolved_workflow;
  if (!workflow) return verdict;
  const { verdict: reviewed, progress } = runReviewStages(workflow.review.stages, {
    task,
    verdict,
    settings: workflow.review,
  });
  const stage = progress.current_stage;
  const added =
    stage === null || stage === 'verdict'
      ? []
      : [
          {
            code: `review_${reviewed}`,
            subject: stage,
            message: `review stage ${stage}: ${progress.stage_results[stage]?.reason ?? reviewed}`,
          },
        ];
  return {
    ...verdict,
    verdict: mostSevereVerdict([verdict.verdict, reviewed]),
    reasons: orderReasons([...verdict.reasons, ...added]),
    workflow: { name: workflow.name, routes: listTakenRoutes(task, verdict), review_pipeline: progress },
  };
}
