import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gateMatrix } from '../../../../docs/generator/gate-matrix.ts';
import { ReviewSettings } from '../../../../shared/contract/review/review-settings.ts';
import { REVIEW_SEVERITIES } from '../../../../shared/contract/review/review-stage-names.ts';
import { DEFAULT_WORKFLOW } from '../../../../shared/control/workflow/builtin-workflows.ts';
import { resolveWorkflow } from '../../../../shared/control/workflow/resolve-workflow.ts';
import { createMissingOpinion, formOpinionOnAnswer } from '../../../../shared/reviews/engine/engine.ts';
import { findUngroundedClaims } from '../../../../shared/reviews/review/grounding.ts';
import { mostSevereFindings, RedTeamReport } from '../../../../shared/reviews/review/red-team-finding.ts';
import { runReviewStages } from '../../../../shared/reviews/review/run-review-stages.ts';
import { decideOnFindingSeverity } from '../../../../shared/reviews/review/severity-matrix.ts';
import {
  findMissingDeliverableReason,
  RED_TEAM_REVIEWER,
  redTeamSettings,
} from '../../../../shared/reviews/reviewers/red-team.ts';
import { taskInReview } from '../../../support/builders.ts';

const finding = (severity: (typeof REVIEW_SEVERITIES)[number], evidence: string[] = ['a.js:1']) => ({
  attack_surface: 'correctness' as const,
  severity,
  description: 'it is wrong',
  evidence,
  suggested_fix: '',
});

/** Returns the opinion on a report of the red team. */
function attacked(
  summary: string,
  findings: RedTeamReport['findings'],
  autonomy: 'full' | 'locked',
  injections: readonly string[] = [],
) {
  const task = taskInReview();
  const [attempt] = task.attempts;
  if (!attempt) throw new Error('the task has no attempt');
  const settings = ReviewSettings.parse({}).red_team;
  return formOpinionOnAnswer(
    RED_TEAM_REVIEWER,
    { task, attempt, settings, autonomy },
    { answer: { summary, findings }, injections },
  );
}

describe('severity by autonomy, as the seed’s table has it', () => {
  it.each([
    ['none', 'pass', 'pass', 'pass', 'pass'],
    ['info', 'pass_with_findings', 'pass_with_findings', 'pass_with_findings', 'pass_with_findings'],
    ['low', 'pass_with_findings', 'pass_with_findings', 'pass_with_findings', 'pass_with_findings'],
    ['medium', 'block', 'block', 'pass_with_findings', 'pass_with_findings'],
    ['high', 'block', 'block', 'block', 'block'],
    ['critical', 'block', 'block', 'block', 'block'],
  ] as const)(
    '%s: locked %s, supervised %s, semi %s, full %s',
    (severity, locked, supervised, semi, full) => {
      const all = severity === 'none' ? [] : [severity];
      expect(decideOnFindingSeverity(all, 'locked')).toBe(locked);
      expect(decideOnFindingSeverity(all, 'supervised')).toBe(supervised);
      expect(decideOnFindingSeverity(all, 'semi')).toBe(semi);
      expect(decideOnFindingSeverity(all, 'full')).toBe(full);
      // Lesser findings beside it change nothing.
      if (severity !== 'none') expect(decideOnFindingSeverity(['info', severity, 'info'], 'semi')).toBe(semi);
    },
  );

  it('is what the page says', () => {
    expect(readFileSync('docs/reference/red-team.md', 'utf8')).toBe(gateMatrix());
  });
});

describe('a report of the red team', () => {
  it.each(
    REVIEW_SEVERITIES.map((severity) => [severity, ['info', 'low', 'medium'].includes(severity)] as const),
  )('may have a finding of severity %s without evidence: %s', (severity, may) => {
    expect(RedTeamReport.safeParse({ findings: [finding(severity, [])], summary: '' }).success).toBe(may);
  });

  it('keeps the most severe 25 once claims are added', () => {
    const kept = mostSevereFindings([
      ...Array.from({ length: 30 }, () => finding('low')),
      finding('critical'),
    ]);
    expect(kept).toHaveLength(25);
    expect(kept[0]?.severity).toBe('critical');
  });

  it('sends blocked work back with its summary, and keeps findings that do not block', () => {
    expect(attacked('two parcels are lost', [finding('high')], 'full')).toMatchObject({
      outcome: 'failed',
      verdict: 'fail',
      reasons: ['red-team blocked: two parcels are lost', 'high correctness: it is wrong (a.js:1)'],
    });
    expect(attacked('fine', [finding('low')], 'locked')).toMatchObject({
      outcome: 'passed',
      verdict: 'pass',
      reasons: ['low correctness: it is wrong (a.js:1)'],
    });
    expect(attacked('fine', [], 'locked', ['the diff holds a mark']).verdict).toBe('refer');
  });

  it('that nobody makes leaves the gate open, with a finding that says so', () => {
    const absence = { code: 'no_answer', outcome: 'timed_out', why: 'no answer within 60 s' } as const;
    expect(createMissingOpinion(RED_TEAM_REVIEWER, undefined, absence)).toMatchObject({
      outcome: 'timed_out',
      verdict: 'pass',
      reasons: [expect.stringMatching(/^info correctness: nobody attacked/)],
    });
  });
});

describe('the red-team gate', () => {
  const compiled = resolveWorkflow(DEFAULT_WORKFLOW, taskInReview(), { from: 'builtin', rubrics: [] });
  const of = (stakes: string, min_stakes: string, enabled = true) =>
    redTeamSettings({
      resolved_workflow: {
        ...compiled,
        review: ReviewSettings.parse({ stakes, red_team: { enabled, min_stakes } }),
      },
    });
  it.each([
    ['low', 'normal', false],
    ['normal', 'high', false],
    ['high', 'high', true],
    ['critical', 'high', true],
    ['low', 'low', true],
  ])('with stakes %s, from %s on: %s', (stakes, least, isOn) => {
    expect(of(stakes, least) !== null).toBe(isOn);
    expect(of(stakes, least, false)).toBeNull();
  });

  it.each([
    ['block', 'fail'],
    ['skip', 'pass'],
  ] as const)('where there is nothing to attack, %s is a %s', (on_missing_deliverable, verdict) => {
    const { red_team } = ReviewSettings.parse({ red_team: { on_missing_deliverable } });
    const task = taskInReview({}, { acceptance_criteria: [] });
    const [attempt] = task.attempts;
    if (!attempt) throw new Error('the task has no attempt');
    expect(findMissingDeliverableReason(task, attempt)).toEqual({ code: 'no_criteria_to_attack_by' });
    const early = RED_TEAM_REVIEWER.precheck({ task, attempt, settings: red_team, autonomy: 'full' });
    expect(early).toMatchObject({
      verdict,
      reasons: [expect.stringContaining('no deliverable could be fetched')],
    });
  });
});

describe('a figure in what an agent says', () => {
  it.each([
    ['It serves 3 million users.', 1],
    ['It is 40% faster.', 1],
    ['It takes 20 minutes.', 1],
    ['It is perhaps 40% faster.', 0],
    ['Is it 40% faster?', 0],
    ['It is 40% faster [1].', 0],
    ['It is 40% faster, see table 2.', 0],
    ['It is faster.', 0],
    ['`x = 40%` is set.', 0],
    ['It is 40% faster. It is 40% faster.', 1],
  ])('%s: %d claims without a ground', (text, claims) => {
    expect(findUngroundedClaims(text)).toHaveLength(claims);
  });
});

describe('the review pipeline', () => {
  const reviewed = (word: 'pass' | 'fail' | 'refer', fields = {}) => ({
    task: { ...taskInReview(), acceptance_criteria: ['it adds'], ...fields },
    verdict: { verdict: word, reasons: [{ code: 'c', subject: null, message: 'it does not add' }] },
    settings: ReviewSettings.parse({}),
  });
  it('has one stage where nothing is said: what was found before', () => {
    expect(ReviewSettings.parse({}).stages).toEqual(['verdict']);
    expect(runReviewStages(['verdict'], reviewed('pass'))).toMatchObject({
      verdict: 'pass',
      progress: { current_stage: null, stages_completed: ['verdict'] },
    });
  });

  it('stops at the first stage that fails, with its name and reason', () => {
    expect(runReviewStages(['internal', 'verdict', 'person'], reviewed('fail'))).toEqual({
      verdict: 'fail',
      progress: {
        current_stage: 'verdict',
        stages_completed: ['internal'],
        stage_results: {
          internal: { verdict: 'pass', reason: null },
          verdict: { verdict: 'fail', reason: 'it does not add' },
        },
      },
    });
  });

  it.each([
    ['the task is not in review', { status: 'open' }, 'not in review'],
    ['there are no acceptance criteria', { acceptance_criteria: [] }, 'no acceptance criteria'],
  ])('fails at `internal` where %s', (_what, fields, reason) => {
    const { verdict, progress } = runReviewStages(['internal'], reviewed('pass', fields));
    expect(verdict).toBe('fail');
    expect(progress.stage_results['internal']?.reason).toContain(reason);
  });

  it('unlike the seed’s source, holds for a person what a stage refers, in place of passing it', () => {
    expect(runReviewStages(['verdict', 'person'], reviewed('pass'))).toMatchObject({
      verdict: 'refer',
      progress: { current_stage: 'person', stages_completed: ['verdict'] },
    });
  });

  it('passes with no stage at all, since what ran has judged the work before', () => {
    expect(runReviewStages([], reviewed('fail')).verdict).toBe('pass');
  });
});
