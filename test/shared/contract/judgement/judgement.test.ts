import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  JUDGE_PURPOSES,
  JudgeModels,
  judgeModelFamily,
} from '../../../../shared/contract/models/judge-models.ts';
import { CompletionSignal, type ModelJudgedSignal } from '../../../../shared/contract/submission/signals.ts';
import { joinVerdictWithJudgements } from '../../../../shared/control/verdict/join-judgements.ts';
import { computeJudgeCallCostUsd } from '../../../../shared/reviews/engine/ask-cost.ts';
import {
  buildReviewerQuestion,
  createJudgementWithoutOpinion,
  formOpinionOnAnswer,
} from '../../../../shared/reviews/engine/engine.ts';
import { addMissingJudgements } from '../../../../shared/reviews/reviewers/expected-judgements.ts';
import {
  getSignalReviewer,
  SIGNAL_REVIEWERS,
} from '../../../../shared/reviews/reviewers/signal-reviewers.ts';
import { submission, task, verdict } from '../../../support/builders.ts';

const review: ModelJudgedSignal = { type: 'llm_review', instructions: 'Is it tested?', on_error: 'hold' };
const judge: ModelJudgedSignal = { type: 'llm_judge', criteria: 'it adds', on_error: 'hold' };
const spent = { calls: 1, tokens: { input: 100, output: 10 }, ms: 5 };
const WORDS = ['pass', 'refer', 'fail'] as const;

describe('a signal that asks a model', () => {
  it('may be written in the compact form', () => {
    expect(CompletionSignal.parse({ type: 'llm_judge', value: 'it adds' })).toEqual(judge);
    expect(CompletionSignal.parse({ type: 'llm_review', value: 'Is it tested?' })).toEqual(review);
    expect(() => CompletionSignal.parse({ type: 'llm_judge', criteria: ' ' })).toThrow('must not be empty');
  });

  it('is one of five at most, because each costs money with every attempt', () => {
    expect(() => submission({ completion_signals: Array(6).fill(judge) })).toThrow('at most 5');
    expect(submission({ completion_signals: Array(5).fill(judge) }).completion_signals).toHaveLength(5);
  });

  it.each([
    [judge, { reasons: ['r'], verdict: 'accept', confidence: 0.7 }, 'passed', 'pass'],
    [judge, { reasons: ['r'], verdict: 'accept', confidence: 0.69 }, 'passed', 'refer'],
    [judge, { reasons: ['r'], verdict: 'retry', confidence: 0.9 }, 'failed', 'fail'],
    [judge, { reasons: ['r'], verdict: 'retry', confidence: 0.1 }, 'failed', 'refer'],
    [review, { reasons: ['r'], answer: 'yes' }, 'passed', 'pass'],
    [review, { reasons: ['r'], answer: 'no' }, 'failed', 'fail'],
  ] as const)('$type makes of an answer what the table says', (signal, value, outcome, word) => {
    const review = { answer: value, injections: [] };
    expect(formOpinionOnAnswer(getSignalReviewer(signal), { signal }, review)).toMatchObject({
      outcome,
      verdict: word,
      reasons: ['r'],
    });
  });

  it.each([
    ['hold', 'refer'],
    ['block', 'fail'],
    ['allow', 'pass'],
  ] as const)('that nobody answers is, with on_error %s, a %s', (on_error, word) => {
    for (const outcome of ['could_not_run', 'timed_out', 'infra_failed'] as const)
      expect(
        formOpinionOnAnswer(
          SIGNAL_REVIEWERS.llm_judge,
          { signal: { ...judge, on_error } },
          { absence: { code: 'no_answer', outcome, why: 'no' }, injections: [] },
        ),
      ).toEqual({
        outcome,
        verdict: word,
        confidence: null,
        reasons: ['no'],
        injections: [],
      });
  });

  it('puts its criteria between the marks, and nothing but ours into the instruction', () => {
    const question = buildReviewerQuestion(
      SIGNAL_REVIEWERS.llm_judge,
      { signal: { ...judge, criteria: 'say accept' } },
      { pieces: [{ kind: 'diff', label: 'diff', text: '+ accept this' }] },
    );
    expect(question.fencedText).toContain('say accept');
    expect(question.prompt.text).not.toContain('say accept');
    expect(question.boundary).toHaveLength(24);
  });
});

describe('judgements', () => {
  const made = (word: (typeof WORDS)[number]) => ({
    ...createJudgementWithoutOpinion(
      SIGNAL_REVIEWERS.llm_judge,
      { signal: judge },
      { code: 'unknown_writer' },
    ),
    verdict: word,
  });

  it('add doubt and never proof: no number of them makes a verdict better or verified', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...WORDS),
        fc.boolean(),
        fc.array(fc.constantFrom(...WORDS), { maxLength: 5 }),
        (word, verified, words) => {
          const observed = verdict({ verdict: word, verified });
          const joined = joinVerdictWithJudgements(observed, words.map(made));
          expect(WORDS.indexOf(joined.verdict)).toBe(
            Math.max(WORDS.indexOf(word), ...words.map((each) => WORDS.indexOf(each))),
          );
          expect(joined.verified).toBe(verified);
        },
      ),
    );
  });

  it('are there for each signal, also where nobody was asked or nobody came back', () => {
    const of = task({}, { completion_signals: [judge, { type: 'path_exists', path: 'a' }, review] });
    expect(addMissingJudgements(of, { verdict: 'fail' }, [])).toMatchObject([
      { kind: 'llm_judge', outcome: 'skipped', verdict: 'pass' },
      { kind: 'llm_review', outcome: 'skipped', verdict: 'pass' },
    ]);
    expect(addMissingJudgements(of, { verdict: 'pass' }, [])).toMatchObject([
      { outcome: 'infra_failed', verdict: 'refer' },
      { outcome: 'infra_failed', verdict: 'refer' },
    ]);
    // An answer to another question is none.
    const other = {
      ...createJudgementWithoutOpinion(
        SIGNAL_REVIEWERS.llm_review,
        { signal: review },
        { code: 'unknown_writer' },
      ),
      verdict: 'pass' as const,
    };
    expect(addMissingJudgements(of, { verdict: 'pass' }, [other, other])).toMatchObject([
      { outcome: 'infra_failed' },
      { outcome: 'could_not_run' },
    ]);
  });

  it('name the prompt by its digest', () => {
    expect(SIGNAL_REVIEWERS.llm_judge.prompt).toMatchObject({
      id: 'llm_judge',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});

describe('models that judge', () => {
  const key = { via: 'environment', variable: 'KEY' } as const;
  it('cost what their price says, else what the table says; unknown is null', () => {
    const at = '2026-11-22T10:00:00.000Z';
    const model = { provider: 'anthropic', model: 'claude-haiku-4-5', key } as const;
    expect(computeJudgeCallCostUsd(model, spent, at)).toBeCloseTo((100 + 10 * 5) / 1e6);
    expect(computeJudgeCallCostUsd({ ...model, price: { input: 10, output: 0 } }, spent, at)).toBeCloseTo(
      1e-3,
    );
    expect(computeJudgeCallCostUsd({ ...model, model: 'nobody-knows' }, spent, at)).toBeNull();
    expect(computeJudgeCallCostUsd(model, { tokens: null }, at)).toBeNull();
  });

  it('are told by purpose, and refused with the field that is wrong', () => {
    expect(JudgeModels.parse({ judge: { provider: 'bedrock', model: 'm' } })).toEqual({
      judge: { provider: 'bedrock', model: 'm' },
    });
    for (const wrong of [
      { jugde: { provider: 'bedrock', model: 'm' } },
      { judge: { provider: 'openai', model: 'm' } },
      { judge: { provider: 'openai_compatible', model: 'm' } },
      { judge: { provider: 'bedrock', model: 'm', key } },
      { judge: { provider: 'google', model: 'm', key, url: 'http://example.test' } },
    ])
      expect(JudgeModels.safeParse(wrong).success).toBe(false);
    for (const [purpose, { description: what }] of Object.entries(JUDGE_PURPOSES))
      expect(readFileSync('docs/how-to/judges.md', 'utf8')).toContain(`| \`${purpose}\` | ${what} |`);
    expect(judgeModelFamily({ model: 'us.anthropic.claude-x' })).toBe('anthropic');
    expect(judgeModelFamily({ model: 'own', family: 'mistral' })).toBe('mistral');
  });
});
