import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequirementsReviewDecision } from '../../../../shared/contract/judgement/judgement.ts';
import { joinVerdictWithJudgements } from '../../../../shared/control/verdict/join-judgements.ts';
import {
  createJudgementWithoutOpinion,
  formOpinionOnAnswer,
} from '../../../../shared/reviews/engine/engine.ts';
import { addMissingJudgements } from '../../../../shared/reviews/reviewers/expected-judgements.ts';
import {
  createUnaskedRequirementsJudgement,
  decideRequirementsReview,
  REQUIREMENTS_REVIEWER,
} from '../../../../shared/reviews/reviewers/requirements-review.ts';
import { evidence, gate, task, verdict } from '../../../support/builders.ts';
import { requirementsAnswer } from '../../../support/requirements-answers.ts';

const HIDDEN = { key: 'hidden/T1.json', sha256: 'a'.repeat(64), bytes: 10, files: 1 } as never;
const note = { file: 'a.js', line: 3, rule: 'reads_caller', message: 'looks at who calls' };
const passed = evidence();
const noted = evidence({ gates: [gate({ findings: [note] })] });
const said = (word: 'clear' | 'doubt', confidence: number, injections: readonly string[] = []) => ({
  injections,
  answer: requirementsAnswer(word === 'clear', confidence),
});
const opinion = (review: Parameters<typeof formOpinionOnAnswer>[2]) =>
  formOpinionOnAnswer(REQUIREMENTS_REVIEWER, { because: 'b' }, review as never);
const WORDS = ['pass', 'refer', 'fail'] as const;

describe('a second look', () => {
  it.each([
    ['what has failed', { verdict: 'fail' as const }, {}, noted, true, 'skipped', 'failed already'],
    [
      'what a person is asked about',
      { verdict: 'refer' as const },
      {},
      noted,
      true,
      'skipped',
      'a person is asked',
    ],
    ['a plan', {}, { plan: {} as never }, noted, true, 'skipped', 'plan'],
    [
      'a patch that changes nothing',
      {},
      {},
      evidence({ empty_patch: true }),
      true,
      'skipped',
      'changes nothing',
    ],
    [
      'what hidden tests have run on, without a note',
      {},
      { hidden_tests: HIDDEN },
      passed,
      true,
      'skipped',
      'hidden tests',
    ],
    [
      'what hidden tests have run on, with a note',
      {},
      { hidden_tests: HIDDEN },
      noted,
      true,
      'asked',
      '1 note',
    ],
    ['what no hidden test has run on', {}, {}, passed, true, 'asked', 'no hidden test'],
    [
      'what rules have noted something in',
      {},
      {},
      noted,
      true,
      'asked',
      'no hidden test, and rules have left 1 note',
    ],
    ['anything, where no model is named', {}, {}, noted, false, 'could_not_run', 'assay:judges'],
  ] as const)(
    'at %s is decided by whether it can change something, and says why',
    (_name, observed, of, seen, served, outcome, why) => {
      const look = decideRequirementsReview(task(of), seen, verdict(observed), served);
      expect(look).toMatchObject({ outcome, reason: expect.stringContaining(why) });
    },
  );

  it('counts no note that the base has too', () => {
    const old = evidence({ gates: [gate({ findings: [{ ...note, baseline: 'unchanged' }] })] });
    expect(decideRequirementsReview(task({ hidden_tests: HIDDEN }), old, verdict(), true).outcome).toBe(
      'skipped',
    );
  });

  it.each([
    ['clear', 0.9, [], 'passed', 'pass'],
    ['clear', 0.6, [], 'passed', 'refer'],
    ['clear', 0.9, ['diff holds a mark'], 'passed', 'refer'],
    ['doubt', 0.9, [], 'failed', 'refer'],
    ['doubt', 0.2, [], 'failed', 'refer'],
  ] as const)(
    'that says %s at %s asks a person where it has a doubt, and fails nothing',
    (word, confidence, injections, outcome, becomes) => {
      expect(opinion(said(word, confidence, injections))).toMatchObject({ outcome, verdict: becomes });
    },
  );

  it('that was to be had and was not is for a person; one that nobody has configured changes nothing', () => {
    for (const outcome of ['could_not_run', 'timed_out', 'infra_failed'] as const)
      expect(opinion({ absence: { code: 'no_answer', outcome, why: 'no' }, injections: [] })).toMatchObject({
        outcome,
        verdict: 'refer',
      });
    const asked: RequirementsReviewDecision = { outcome: 'asked', reason: 'asked' };
    expect(addMissingJudgements(task(), verdict(), [], asked)).toMatchObject([
      { outcome: 'infra_failed', verdict: 'refer' },
    ]);
    const unanswered = createUnaskedRequirementsJudgement('could_not_run', 'name one');
    expect(unanswered).toMatchObject({ outcome: 'could_not_run', verdict: 'pass', calls: 0, cost_usd: null });
    expect(joinVerdictWithJudgements(verdict(), [unanswered])).toMatchObject({
      verdict: 'pass',
      reasons: [],
    });
  });

  it('raises a pass to a referral at the most, and lowers nothing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...WORDS),
        fc.constantFrom('clear' as const, 'doubt' as const),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (word, answer, confidence) => {
          const looked = {
            ...createJudgementWithoutOpinion(REQUIREMENTS_REVIEWER, undefined, { code: 'not_returned' }),
            ...opinion(said(answer, confidence)),
          };
          const joined = joinVerdictWithJudgements(verdict({ verdict: word }), [looked]).verdict;
          expect(WORDS.indexOf(joined)).toBeGreaterThanOrEqual(WORDS.indexOf(word));
          expect(joined === 'fail').toBe(word === 'fail');
        },
      ),
    );
  });

  it('decides each requirement once: one that the answer leaves out, or calls both, is not met or cannot be told', () => {
    const input = { because: 'b', requirements: ['adds', 'refuses text', 'keeps order'] };
    const of = (number: number, state: 'met' | 'not_met' | 'cannot_tell') => ({
      ...{ number, state, requirement: '', reason: 'r', file: 'a.js', line: 3 },
    });
    const decided = REQUIREMENTS_REVIEWER.decide(
      {
        requirements: [of(1, 'met'), of(2, 'met'), of(2, 'not_met'), of(9, 'met')],
        concerns: [],
        confidence: 0.9,
      },
      input,
    );
    expect(decided).toMatchObject({
      outcome: 'failed',
      verdict: 'refer',
      requirements: [
        { requirement: 'adds', state: 'met', file: 'a.js', line: 3 },
        { requirement: 'refuses text', state: 'not_met' },
        { requirement: 'keeps order', state: 'cannot_tell', file: null },
      ],
      reasons: [
        'not met: refuses text (a.js:3): r',
        '1 of 3 requirements are met',
        'cannot tell: keeps order: the answer leaves it out',
      ],
    });
  });

  it.each([
    ['no requirement is met', [], [], 'refer'],
    ['one is met and another cannot be told', ['met', 'cannot_tell'], [], 'pass'],
    ['a concern is raised', ['met'], ['hard_coded_answer'], 'refer'],
  ] as const)('where %s comes to %s', (_name, states, concerns, expected) => {
    const answer = {
      requirements: states.map((state, index) => ({
        ...{ number: index + 1, state, requirement: 'adds', reason: 'r', file: null, line: null },
      })),
      concerns: concerns.map((kind) => ({ kind, reason: 'a table of inputs', file: 'a.js', line: 2 })),
      confidence: 0.9,
    };
    const decided = REQUIREMENTS_REVIEWER.decide(answer, {
      because: 'b',
      requirements: states.map((_, index) => `requirement ${index}`),
    });
    expect(decided.verdict).toBe(expected);
  });
});
