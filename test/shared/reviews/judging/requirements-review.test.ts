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

const HIDDEN = { key: 'hidden/T1.json', sha256: 'a'.repeat(64), bytes: 10, files: 1 } as never;
const note = { file: 'a.js', line: 3, rule: 'reads_caller', message: 'looks at who calls' };
const passed = evidence();
const noted = evidence({ gates: [gate({ findings: [note] })] });
const said = (word: 'clear' | 'doubt', confidence: number, injections: readonly string[] = []) => ({
  injections,
  answer: { reasons: ['a.js:3 knows the test'], verdict: word, confidence },
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
      expect(look).toMatchObject({ outcome, because: expect.stringContaining(why) });
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
    const asked: RequirementsReviewDecision = { outcome: 'asked', because: 'asked' };
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
});
