import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { JudgeModel } from '../../../../shared/contract/models/judge-models.ts';
import {
  buildReviewerQuestion,
  createJudgementWithoutOpinion,
} from '../../../../shared/reviews/engine/engine.ts';
import { listJudgementVerdictReasons } from '../../../../shared/reviews/engine/opinion-verdict.ts';
import { cutPiecesToFit } from '../../../../shared/reviews/engine/review-piece.ts';
import { JUDGE_PROMPTS } from '../../../../shared/reviews/judging/prompts.ts';
import { createAskModel } from '../../../../shared/reviews/model-clients/ask-model.ts';
import { REQUIREMENTS_REVIEWER } from '../../../../shared/reviews/reviewers/requirements-review.ts';
import { type ModelServer, startModelServer } from '../../../support/models/model-server.ts';

const piece = (text: string) => ({ kind: 'diff' as const, label: 'diff', text });

describe('limits of a small model', () => {
  it('are settings of the model, within bounds', () => {
    const model = { provider: 'openai_compatible', model: 'm', url: 'http://127.0.0.1:1/v1' };
    const limits = { timeout_s: 200, max_concurrent: 1, max_input_tokens: 4_000, max_output_tokens: 512 };
    expect(JudgeModel.parse({ ...model, limits })).toMatchObject({ limits });
    expect(JudgeModel.safeParse({ ...model, limits: { timeout_s: 1_000 } }).success).toBe(false);
  });

  it('shorten the material and the answer, lengthen the time, and name what is cut', () => {
    const material = { pieces: [piece('x'.repeat(9_000)), piece('short')] };
    const of = (limits?: object) =>
      buildReviewerQuestion(REQUIREMENTS_REVIEWER, { because: '' }, material, limits);
    expect(of()).toMatchObject({ maxTokens: REQUIREMENTS_REVIEWER.maxTokens });
    const small = of({ timeout_s: 200, max_input_tokens: 1_000, max_output_tokens: 256 });
    expect(small).toMatchObject({ maxTokens: 256, timeoutMs: 200_000 });
    expect(small.fencedText.length).toBeLessThan(3_500);
    expect(small.fencedText).toContain('characters of this piece are not shown');
    expect(small.fencedText).toContain('short');
  });

  it('cut the longest pieces only', () => {
    const cut = cutPiecesToFit([piece('a'.repeat(10)), piece('b'.repeat(500)), piece('c'.repeat(100))], 210);
    expect(cut.map(({ text }) => text.replace(/\n.*/, '').length)).toEqual([10, 100, 100]);
    expect(cutPiecesToFit([piece('a')], 10)).toEqual([piece('a')]);
  });
});

describe('the lane of a model', () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer({ answer: () => ({ answer: 'yes' }) });
  });
  afterAll(() => server.stop());

  it('lets as many questions through as its setting says', async () => {
    server.setScenario('hold');
    const ask = createAskModel({ readKey: async () => 'k' });
    const model: JudgeModel = {
      provider: 'anthropic',
      model: 'claude-sonnet-5-5',
      key: { via: 'environment', variable: 'K' },
      url: server.url,
      limits: { max_concurrent: 1 },
    };
    const question = {
      prompt: JUDGE_PROMPTS.llm_review,
      fencedText: 't',
      boundary: 'b',
      injections: [],
      answerSchema: z.strictObject({ answer: z.string() }),
      maxTokens: 100,
      timeoutMs: 20_000,
    };
    const answers = Promise.all([ask(model, question), ask(model, question)]);
    await server.waitForCall(1);
    expect(server.calls).toHaveLength(1);
    server.release();
    expect(await answers).toMatchObject([{ value: { answer: 'yes' } }, { value: { answer: 'yes' } }]);
    expect(server.calls).toHaveLength(2);
  });
});

it('names an uncalibrated judge in the reasons of the verdict', () => {
  const judgement = {
    ...createJudgementWithoutOpinion(REQUIREMENTS_REVIEWER, undefined, { code: 'not_returned' }),
    model: 'small-one',
    reasons: ['a.js:3 is wrong'],
  };
  const message = (calibration: string | null) =>
    listJudgementVerdictReasons({ ...judgement, calibration })[0]?.message;
  expect(message(null)).toContain('(uncalibrated judge: small-one)');
  expect(message('cal-0123456789ab')).not.toContain('uncalibrated');
});
