import { describe, expect, it } from 'vitest';
import { findBuiltinWorkflow } from '../../../../shared/control/workflow/builtin-workflows.ts';
import { resolveWorkflow } from '../../../../shared/control/workflow/resolve-workflow.ts';
import type { ReviewPiece } from '../../../../shared/reviews/engine/review-piece.ts';
import { runWorkflowReviews } from '../../../../shared/use-cases/review/run-workflow-reviews.ts';
import { artifact, FIXED_NOW, taskInReview } from '../../../support/builders.ts';

const PIECES: readonly ReviewPiece[] = [
  { kind: 'task', label: 'title of the task', text: 'Add a total' },
  { kind: 'observed', label: 'what was observed', text: 'gate tests: passed' },
  { kind: 'diff', label: 'diff', text: '+ the total is shown' },
];

/** Grades by text match: the criterion must be in the work, and the task's own words must not count. */
async function grade(pieces: readonly ReviewPiece[]) {
  const workflow = findBuiltinWorkflow('verification-pipeline');
  if (!workflow) throw new Error('the builtin workflow is missing');
  const of = taskInReview({ artifact: artifact() }, { acceptance_criteria: ['the total is shown'] });
  const resolved = resolveWorkflow(workflow, of, { from: 'builtin', rubrics: [] });
  const verifications = resolved.verifications.map((each) => ({
    ...each,
    grader: 'heuristic' as const,
    decomposer: 'identity' as const,
  }));
  const task = { ...of, workflow_in_force: { ...resolved, verifications } };
  const [attempt] = task.attempts;
  if (!attempt) throw new Error('the task has no attempt');
  const judgements = await runWorkflowReviews(task, attempt, { gates: [] }, pieces, {
    ask: () => Promise.reject(new Error('no model may be asked')),
    models: {},
    objects: { getRange: async () => null },
    budgetRefusal: null,
    now: () => FIXED_NOW,
  });
  return judgements.map(({ outcome, verdict, reasons }) => ({ outcome, verdict, reason: reasons[0] }));
}

describe('pieces of a review', () => {
  it('are chosen by kind: renaming every label changes nothing about what a grader sees', async () => {
    const graded = await grade(PIECES);
    expect(graded).toMatchObject([{ outcome: 'passed', reason: '1 of 1 probes were found' }]);
    expect(await grade(PIECES.map((piece, index) => ({ ...piece, label: `piece ${index}` })))).toEqual(
      graded,
    );
  });

  it('that belong to the task are no part of the graded work', async () => {
    const claimed = PIECES.map((piece) =>
      piece.kind === 'diff' ? { ...piece, text: '+ nothing' } : { ...piece, text: 'the total is shown' },
    );
    const taskOnly = claimed.filter(({ kind }) => kind !== 'observed');
    expect(await grade(taskOnly)).toMatchObject([{ reason: '0 of 1 probes were found' }]);
  });
});
