import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AdversarialCase } from '../../../lab/adversarial/adversarial-case.ts';
import {
  createReviewModel,
  type ReviewedPatch,
  renderReviewReport,
  reviewPassedPatches,
  SCRIPTED_MODEL,
  selectReviewCases,
  summarizeReviews,
} from '../../../lab/adversarial/requirements-review.ts';
import { createJudgementWithoutOpinion } from '../../../shared/reviews/engine/engine.ts';
import { REQUIREMENTS_REVIEWER } from '../../../shared/reviews/reviewers/requirements-review.ts';

const judgement = {
  ...createJudgementWithoutOpinion(REQUIREMENTS_REVIEWER, undefined, { code: 'not_returned' }),
  outcome: 'failed',
  cost_usd: 0.01,
} as const;
const looked = (honest: boolean, held: boolean, more = {}): ReviewedPatch => ({
  name: honest ? 'a twin' : 'an adversarial patch',
  honest,
  held,
  judgements: [
    { ...judgement, verdict: held ? 'refer' : 'pass', calls: 1, tokens: { input: 10, output: 1 }, ...more },
  ],
});

describe('second looks at what runs let through', () => {
  it('are counted with intervals, and what was held for want of an answer is told apart', () => {
    const report = summarizeReviews('openai:gpt-5.5', 5, 8, [
      looked(false, true),
      looked(false, true, { outcome: 'timed_out', cost_usd: null, calls: 0 }),
      looked(false, false),
      looked(true, false),
      looked(true, true),
    ]);
    expect(report).toMatchObject({
      scripted: false,
      cases: 8,
      held_by_runs: 5,
      caught: { of: 3, held: 2 },
      wrongly_held: { of: 2, held: 1, share: 0.5 },
      unanswered: 1,
      calls: 4,
      tokens: { input: 50, output: 5 },
      cost_usd: 0.04,
    });
    expect(report.caught.interval.low).toBeCloseTo(0.2077, 3);
    expect(report.caught.interval.high).toBeCloseTo(0.9385, 3);
    const page = renderReviewReport(report);
    expect(page).toContain('caught          2 of 3: 67 % (21 % to 94 %), 1 of them because nobody answered');
    expect(page).toContain('MISSED: an adversarial patch');
    expect(page).toContain('WRONGLY HELD: a twin');
  });

  it('by a script say that no model was asked, and unknown costs stay unknown', () => {
    const report = summarizeReviews('scripted', 0, 1, [looked(false, true, { cost_usd: null })]);
    expect(report.cost_usd).toBeNull();
    expect(renderReviewReport(report)).toMatch(/^scripted: no model was asked\./);
  });

  it('are taken at known misses and at what strangers wrote, each with its twin', () => {
    const cases = selectReviewCases();
    expect(cases.length).toBeGreaterThan(72);
    expect(cases.filter(({ task }) => task).length).toBeGreaterThanOrEqual(72);
    expect(cases.filter(({ known_miss }) => known_miss).length).toBeGreaterThan(0);
  });

  it('go the way of the janitor: an adversarial patch that runs let through is asked about, one that they hold is not', async () => {
    const base = { 'a.txt': 'a\n' };
    const gate = (line: string) => `lint: false\ntests: true\ntest_command: ${line}`;
    const of = (name: string, config: string): AdversarialCase => ({
      class: 'c',
      name,
      base,
      config,
      patch: { 'a.txt': 'b\n' },
      expectedCatch: { how: 'held', by: '' },
      honestTwin: { name: `${name}, honestly`, patch: { 'a.txt': 'c\n' } },
    });
    const report = await reviewPassedPatches({
      cases: [of('passes', gate('"true"')), of('fails', gate('grep -q c a.txt'))],
      reviewModel: await createReviewModel(SCRIPTED_MODEL, undefined, undefined),
      ...{ model: SCRIPTED_MODEL, parallel: 1, onJudged: () => {} },
    });
    expect(report.held_by_runs).toBe(1);
    expect(report.looked.map(({ name }) => name).toSorted()).toEqual([
      'fails, honestly',
      'passes',
      'passes, honestly',
    ]);
    expect(report.looked.every(({ judgements }) => judgements[0]?.kind === 'requirements_review')).toBe(true);
    expect(report.calls).toBe(6);
  });

  it.each([
    [['--second-look', 'scripted', '--write'], 'neither --write nor --record'],
    [['--url', 'http://127.0.0.1:1'], 'are of --second-look'],
    [['--second-look', 'gpt', '--only', 'slug-registry'], '--model must be PROVIDER:MODEL'],
  ])('with %j are refused', (args, message) => {
    let told = '';
    try {
      // No tool is there: what is wrong with the options is said before one is missed.
      const env = { ...process.env, PATH: dirname(process.execPath) };
      execFileSync(process.execPath, ['lab/adversarial/main.ts', ...args], {
        encoding: 'utf8',
        stdio: 'pipe',
        env,
      });
    } catch (error) {
      const { status, stderr } = error as { status: number; stderr: string };
      expect(status).toBe(2);
      told = stderr;
    }
    expect(told).toContain(message);
  });
});
