import { describe, expect, it } from 'vitest';
import type { Judgement } from '../../../../shared/contract/judgement/judgement.ts';
import type { JudgeModel, JudgeModels } from '../../../../shared/contract/models/judge-models.ts';
import { findBuiltinWorkflow } from '../../../../shared/control/workflow/builtin-workflows.ts';
import { resolveWorkflow } from '../../../../shared/control/workflow/resolve-workflow.ts';
import type { AskReviewModel } from '../../../../shared/reviews/engine/ask-model-port.ts';
import type { ReviewPiece } from '../../../../shared/reviews/engine/review-piece.ts';
import { runWorkflowReviews } from '../../../../shared/use-cases/review/run-workflow-reviews.ts';
import { artifact, FIXED_NOW, taskInReview } from '../../../support/builders.ts';

const PIECES: readonly ReviewPiece[] = [
  { kind: 'task', label: 'title of the task', text: 'Add a total' },
  { kind: 'observed', label: 'what was observed', text: 'gate tests: passed' },
  { kind: 'diff', label: 'diff', text: '+ the total is shown' },
];

interface GradedBy {
  readonly decomposer?: 'identity' | 'llm';
  readonly grader?: 'heuristic' | 'llm';
  readonly models?: JudgeModels;
  readonly ask?: AskReviewModel;
  readonly criteria?: readonly string[];
}

/** Runs the verification node of the builtin workflow. */
async function grade(
  pieces: readonly ReviewPiece[],
  {
    decomposer = 'identity',
    grader = 'heuristic',
    models = {},
    ask = () => Promise.reject(new Error('no model may be asked')),
    criteria = ['the total is shown'],
  }: GradedBy = {},
): Promise<Judgement[]> {
  const workflow = findBuiltinWorkflow('verification-pipeline');
  if (!workflow) throw new Error('the builtin workflow is missing');
  const of = taskInReview({ artifact: artifact() }, { acceptance_criteria: [...criteria] });
  const resolved = resolveWorkflow(workflow, of, { from: 'builtin', rubrics: [] });
  const verifications = resolved.verifications.map((each) => ({ ...each, grader, decomposer }));
  const task = { ...of, resolved_workflow: { ...resolved, verifications } };
  const [attempt] = task.attempts;
  if (!attempt) throw new Error('the task has no attempt');
  return runWorkflowReviews(task, attempt, { gates: [] }, pieces, {
    ...{ ask, models, budgetRefusal: null },
    objects: { getRange: async () => null },
    now: () => FIXED_NOW,
  });
}

/** Grades by text match: the criterion must be in the work, and the task's own words must not count. */
const gradeByText = async (pieces: readonly ReviewPiece[]) =>
  (await grade(pieces)).map(({ outcome, verdict, reasons }) => ({ outcome, verdict, reason: reasons[0] }));

const MODEL: JudgeModel = { provider: 'bedrock', model: 'gemini-own', price: { input: 1, output: 1 } };
/** Returns the work that a grader is shown, between the marks of its fence. */
async function workShown(pieces: readonly ReviewPiece[]): Promise<string | undefined> {
  let shown: string | undefined;
  await grade(pieces, {
    grader: 'llm',
    models: { rubric: MODEL },
    ask: async (_model, { fencedText }) => {
      shown = /<<<UNTRUSTED \S+ the work\n(.*)\nUNTRUSTED/.exec(fencedText)?.[1];
      return { code: 'no_answer', outcome: 'timed_out', why: 'slow', calls: 1, tokens: null, ms: 1 };
    },
  });
  return shown;
}

describe('pieces of a review', () => {
  it('are chosen by kind: renaming every label changes nothing about what a grader sees', async () => {
    const graded = await gradeByText(PIECES);
    expect(graded).toMatchObject([{ outcome: 'passed', reason: '1 of 1 probes were found' }]);
    const renamed = PIECES.map((piece, index) => ({ ...piece, label: `piece ${index}` }));
    expect(await gradeByText(renamed)).toEqual(graded);
    const payload = await workShown(PIECES);
    expect(payload).toBe('{"observed":"gate tests: passed","diff":"+ the total is shown"}');
    expect(await workShown(renamed)).toBe(payload);
  });

  it('that belong to the task are no part of the graded work', async () => {
    const claimed = PIECES.map((piece) =>
      piece.kind === 'diff' ? { ...piece, text: '+ nothing' } : { ...piece, text: 'the total is shown' },
    );
    const taskOnly = claimed.filter(({ kind }) => kind !== 'observed');
    expect(await gradeByText(taskOnly)).toMatchObject([{ reason: '0 of 1 probes were found' }]);
  });
});

describe('a verification node', () => {
  it.each([
    ['decomposer', { decomposer: 'llm', models: { rubric: MODEL } }],
    ['rubric', { grader: 'llm', models: { decomposer: MODEL } }],
  ] as const)('asks no model where that for `%s` is missing, and needs a reviewer', async (purpose, by) => {
    expect(await grade(PIECES, by)).toMatchObject([
      {
        kind: 'verification',
        outcome: 'could_not_run',
        verdict: 'refer',
        calls: 0,
        reasons: [expect.stringContaining(`\`${purpose}\``)],
      },
    ]);
  });

  it('asks no model for probes of a task without criteria', async () => {
    const graded = await grade(PIECES, { decomposer: 'llm', models: { decomposer: MODEL }, criteria: [] });
    expect(graded).toMatchObject([{ kind: 'verification', verdict: 'refer', calls: 0 }]);
  });

  it('is ungraded where the decomposition has no usable probe, and the call is recorded', async () => {
    const spent = { calls: 1, tokens: { input: 1_000_000, output: 0 }, ms: 1 };
    const ask: AskReviewModel = async (_model, { answerSchema }) => ({
      ...spent,
      value: answerSchema.parse({ probes: [] }),
    });
    expect(await grade(PIECES, { decomposer: 'llm', models: { decomposer: MODEL }, ask })).toMatchObject([
      { kind: 'decomposition', outcome: 'could_not_run', verdict: 'refer', cost_usd: 1 },
      { kind: 'verification', outcome: 'could_not_run', verdict: 'refer', calls: 0 },
    ]);
  });
});
