import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { JudgeModel } from '../../../../shared/contract/models/judge-models.ts';
import type { AskReviewModel, ModelAnswer } from '../../../../shared/reviews/engine/ask-model-port.ts';
import type { JudgingRefusal } from '../../../../shared/reviews/engine/decision-reason.ts';
import { runSingleQuestionReviewer } from '../../../../shared/reviews/engine/engine.ts';
import { explainMissingJudgeModel } from '../../../../shared/reviews/engine/missing-opinion.ts';
import type { ReviewPiece } from '../../../../shared/reviews/engine/review-piece.ts';
import type { JudgingReviewer, ReviewOpinion } from '../../../../shared/reviews/engine/reviewer.ts';
import { JUDGE_PROMPTS } from '../../../../shared/reviews/judging/prompts.ts';
import { FIXED_NOW } from '../../../support/builders.ts';

const MODEL: JudgeModel = {
  provider: 'bedrock',
  model: 'gemini-own',
  price: { input: 1, output: 2 },
  calibrations: [{ id: 'cal-0123456789ab', prompt: JUDGE_PROMPTS.red_team.sha256 }],
};
const Answer = z.strictObject({ good: z.boolean() });
const opinion = (fields: Partial<ReviewOpinion>): ReviewOpinion => ({
  outcome: 'passed',
  verdict: 'pass',
  confidence: null,
  reasons: [],
  ...fields,
});
const REVIEWER: JudgingReviewer<typeof Answer, { readonly rejected?: string }, unknown> = {
  kind: 'red_team',
  family: 'other',
  head: () => ({ subject: 'a row' }),
  purpose: 'red_team',
  prompt: JUDGE_PROMPTS.red_team,
  answerSchema: () => Answer,
  maxTokens: 10,
  timeoutMs: () => 1_000,
  shows: ['task', 'diff'],
  because: () => 'asked',
  precheck: ({ rejected }) =>
    rejected === undefined ? null : opinion({ outcome: 'failed', verdict: 'fail', reasons: [rejected] }),
  decide: ({ good }) => opinion(good ? {} : { outcome: 'failed', verdict: 'fail' }),
  absent: () => 'hold',
};
const PIECES: readonly ReviewPiece[] = [
  { kind: 'task', label: 'a', text: 'the task' },
  { kind: 'agent_summary', label: 'b', text: 'all is well' },
  { kind: 'diff', label: 'c', text: '+ line' },
];
const spent = { calls: 1, tokens: { input: 1_000_000, output: 1_000_000 }, ms: 5 };

async function run(
  answered: ModelAnswer<unknown> | null,
  {
    rejected,
    model = MODEL,
    writer = 'claude-haiku-4-5',
    budgetRefusal = null,
  }: {
    readonly rejected?: string;
    readonly model?: JudgeModel | null;
    readonly writer?: string | null;
    readonly budgetRefusal?: JudgingRefusal | null;
  } = {},
) {
  const shown: string[] = [];
  const ask: AskReviewModel = async (_model, question) => {
    if (answered === null) throw new Error('no model may be asked');
    shown.push(question.fencedText);
    return answered as ModelAnswer<never>;
  };
  const judgement = await runSingleQuestionReviewer(
    REVIEWER,
    rejected === undefined ? {} : { rejected },
    () => ({ pieces: PIECES }),
    { ask, models: model ? { red_team: model } : {}, writer, budgetRefusal, now: () => FIXED_NOW },
  );
  return { judgement, shown };
}

describe('a reviewer', () => {
  it('is shown the kinds of pieces that its row names, and leaves a receipt', async () => {
    const { judgement, shown } = await run({ ...spent, value: { good: true } });
    expect(shown).toHaveLength(1);
    expect(shown[0]).toContain('the task');
    expect(shown[0]).toContain('+ line');
    expect(shown[0]).not.toContain('all is well');
    expect(judgement).toMatchObject({
      outcome: 'passed',
      model: 'gemini-own',
      family: 'google',
      prompt: { id: 'red_team', sha256: JUDGE_PROMPTS.red_team.sha256 },
      calibration: 'cal-0123456789ab',
      cost_usd: 3,
      duration_ms: 5,
    });
  });

  it.each([
    ['no model is configured', { model: null }, explainMissingJudgeModel('red_team')],
    [
      'the budget is spent',
      { budgetRefusal: { code: 'over_budget', why: 'the budget is spent' } as const },
      'the budget is spent',
    ],
    ['the model is of the writer’s family', { writer: 'gemini-3' }, 'same family as gemini-3'],
  ])('is not asked when %s, and the record says so without a call', async (_what, given, why) => {
    const { judgement } = await run(null, given);
    expect(judgement).toMatchObject({
      outcome: 'could_not_run',
      verdict: 'refer',
      request_reason: expect.stringContaining(why),
      model: null,
      prompt: null,
      calls: 0,
    });
  });

  it('is not asked about work that its precheck rejects', async () => {
    const { judgement } = await run(null, { rejected: 'the patch is empty' });
    expect(judgement).toMatchObject({ outcome: 'failed', request_reason: 'the patch is empty', calls: 0 });
  });

  it('without an answer still records what the call cost, and never passes the work', async () => {
    const { judgement } = await run({
      ...spent,
      code: 'no_answer',
      outcome: 'timed_out',
      why: 'no answer within 1 s',
    });
    expect(judgement).toMatchObject({
      outcome: 'timed_out',
      verdict: 'refer',
      reasons: ['no answer within 1 s'],
      cost_usd: 3,
    });
  });
});
