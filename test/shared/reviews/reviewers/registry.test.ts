import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crossModelGate } from '../../../../gates/gates/cross-model.ts';
import { integrationTestGenGate } from '../../../../gates/gates/integration-test-gen.ts';
import { intentVerificationGate } from '../../../../gates/gates/intent-verification.ts';
import { reviewRubricGate } from '../../../../gates/gates/review-rubric.ts';
import { JUDGEMENT_KINDS } from '../../../../shared/contract/judgement/judgement.ts';
import { ReviewPipeline } from '../../../../shared/contract/judgement/review-pipeline-schema.ts';
import {
  JUDGE_PURPOSES,
  type JudgeModel,
  type JudgeModels,
  type JudgePurpose,
} from '../../../../shared/contract/models/judge-models.ts';
import { CHECK_ERROR_ACTIONS } from '../../../../shared/contract/submission/on-error.ts';
import { joinVerdictWithJudgements } from '../../../../shared/control/verdict/join-judgements.ts';
import { findBuiltinWorkflow } from '../../../../shared/control/workflow/builtin-workflows.ts';
import { resolveWorkflow } from '../../../../shared/control/workflow/resolve-workflow.ts';
import {
  createJudgementOnAnswer,
  createJudgementWithoutOpinion,
  type JudgementHeadProvider,
  NO_MODEL_CALL_RECEIPT,
} from '../../../../shared/reviews/engine/engine.ts';
import type {
  MissingOpinionReason,
  UnusableAnswerReason,
} from '../../../../shared/reviews/engine/missing-opinion.ts';
import { PIECE_KINDS, type PieceKind } from '../../../../shared/reviews/engine/review-piece.ts';
import type { MissingOpinionRule, ModelReviewer } from '../../../../shared/reviews/engine/reviewer.ts';
import { JUDGING_REVIEWERS, REVIEWERS } from '../../../../shared/reviews/reviewers/registry.ts';
import { decideReviewStageVotes } from '../../../../shared/reviews/reviewers/stage-decision.ts';
import { taskInReview, verdict } from '../../../support/builders.ts';
import { runGate } from '../../../support/patch-fixture.ts';

type Kind = keyof typeof JUDGING_REVIEWERS;

const workflow = findBuiltinWorkflow('verification-pipeline');
if (!workflow) throw new Error('the builtin workflow is missing');
const [node] = resolveWorkflow(workflow, taskInReview(), { from: 'builtin', rubrics: [] }).verifications;
const [stage] = ReviewPipeline.parse({
  version: 1,
  stages: [{ name: 's', agents: [{ role: 'a' }] }],
}).stages;
if (!node || !stage) throw new Error('the fixtures are incomplete');
const signal = (on_error: (typeof CHECK_ERROR_ACTIONS)[number]) => ({ signal: { on_error } });

/** Subjects of the judgements of each row, with the rule that its absence follows. */
const SUBJECTS: Readonly<Record<Kind, readonly (readonly [subject: unknown, rule: MissingOpinionRule])[]>> = {
  llm_review: CHECK_ERROR_ACTIONS.map((rule) => [
    { signal: { ...signal(rule).signal, type: 'llm_review', instructions: 'Is it tested?' } },
    rule,
  ]),
  llm_judge: CHECK_ERROR_ACTIONS.map((rule) => [
    { signal: { ...signal(rule).signal, type: 'llm_judge', criteria: 'it adds' } },
    rule,
  ]),
  quality_gate: CHECK_ERROR_ACTIONS.map((rule) => [
    { signal: { ...signal(rule).signal, type: 'quality_gate', threshold: 3, foundation: false } },
    rule,
  ]),
  requirements_review: [[undefined, 'hold']],
  expectations: [[undefined, 'hold']],
  decomposition: [[{ of: node }, 'hold']],
  verification: [[{ of: node }, 'hold']],
  review: [[{ stage, reviewer: { role: 'a' } }, 'abstain']],
  red_team: [[undefined, 'pass_with_finding']],
  vision: [[undefined, 'pass_with_finding']],
};

const answerFailures: readonly UnusableAnswerReason[] = [
  { code: 'no_answer', outcome: 'timed_out', why: 'no answer within 1 s' },
  { code: 'no_answer', outcome: 'infra_failed', why: '503' },
  { code: 'unreadable_answer', outcome: 'could_not_run', why: 'another shape' },
  { code: 'declined', outcome: 'could_not_run', why: 'the model refused to answer' },
];
/** One of each kind: a code without an example does not compile. */
const ABSENCES: Readonly<
  Record<Exclude<MissingOpinionReason['code'], UnusableAnswerReason['code']>, MissingOpinionReason>
> = {
  no_model: { code: 'no_model', purpose: 'judge' },
  budget_spent: { code: 'budget_spent', refusal: { code: 'over_budget', why: 'the budget is spent' } },
  same_family: { code: 'same_family', model: 'claude-a', writer: 'claude-b' },
  unknown_writer: { code: 'unknown_writer' },
  too_few_models: { code: 'too_few_models', count: 2, found: 1, purpose: 'cross_model', writer: 'o3' },
  self_review: { code: 'self_review', agent: 'ann' },
  no_time: { code: 'no_time' },
  breaker_open: { code: 'breaker_open', writer: 'o3', rejections: 5, until: '2026-11-27T10:00:00Z' },
  not_returned: { code: 'not_returned' },
  unreadable_material: { code: 'unreadable_material', outcome: 'infra_failed', why: 'no PNG' },
};
const absences: readonly MissingOpinionReason[] = [...Object.values(ABSENCES), ...answerFailures];
const SEVERITY = { pass: 0, refer: 1, fail: 2 } as const;
const RULE_VERDICTS = {
  hold: 'refer',
  block: 'fail',
  allow: 'pass',
  pass_with_finding: 'pass',
  abstain: 'pass',
} as const;

const rows = (Object.keys(SUBJECTS) as Kind[]).flatMap((kind) =>
  SUBJECTS[kind].map(
    ([subject, rule]) =>
      [kind, rule, JUDGING_REVIEWERS[kind] as unknown as JudgementHeadProvider<unknown>, subject] as const,
  ),
);

describe('every reviewer of the control plane', () => {
  it.each(rows)('%s without an opinion (%s) gives no pass of its own', (kind, rule, reviewer, subject) => {
    for (const absence of absences) {
      const absent = createJudgementWithoutOpinion(reviewer, subject, absence);
      expect(['could_not_run', 'timed_out', 'infra_failed']).toContain(absent.outcome);
      expect(absent).toMatchObject({ kind, verdict: RULE_VERDICTS[rule], model: null });
      expect(absent.reasons.join('')).not.toBe('');
      expect(absent.calls).toBe(absence.code === 'not_returned' ? null : 0);
    }
  });

  it('never makes a verdict better, or verified, by an absence', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...rows),
        fc.constantFrom(...absences),
        fc.constantFrom('pass' as const, 'refer' as const, 'fail' as const),
        fc.boolean(),
        ([, rule, reviewer, subject], absence, observed, verified) => {
          const joined = joinVerdictWithJudgements(verdict({ verdict: observed, verified }), [
            createJudgementWithoutOpinion(reviewer, subject, absence),
          ]);
          expect(SEVERITY[joined.verdict]).toBe(Math.max(SEVERITY[observed], SEVERITY[RULE_VERDICTS[rule]]));
          expect(joined.verified).toBe(verified);
        },
      ),
    );
  });

  it('that was asked without an answer keeps its rule, and the receipt of the call', () => {
    for (const [, rule, reviewer, subject] of rows)
      for (const absence of answerFailures) {
        const receipt = { ...NO_MODEL_CALL_RECEIPT, model: 'm', calls: 1, cost_usd: 0.5 };
        const asked = { ...reviewer, because: () => 'asked', decide: () => expect.fail('nothing to decide') };
        const judged = createJudgementOnAnswer(asked, subject, { receipt, injections: ['a mark'], absence });
        expect(judged).toMatchObject({
          outcome: absence.outcome,
          verdict: RULE_VERDICTS[rule],
          cost_usd: 0.5,
          injections: ['a mark'],
        });
      }
  });

  it('whose absence is a vote passes no stage: the vote is missing', () => {
    for (const strategy of ['any', 'all', 'majority', 'weighted'] as const)
      expect(decideReviewStageVotes({ ...stage, aggregator: { strategy } }, [null])).not.toBe('passed');
  });
});

const PATCH = { 'src/add.mjs': 'export const add = (a, b) => a + b;\n' };
const GATES = {
  intent_verification: intentVerificationGate,
  review_rubric: reviewRubricGate,
  cross_model: crossModelGate,
  integration_test_gen: integrationTestGenGate,
} as const;
const model = (name: string): JudgeModel => ({ provider: 'bedrock', model: name });

describe('every reviewer of the gates container', () => {
  const failures = answerFailures.map((failure) => [failure.code, failure.outcome, failure] as const);
  it.each(Object.entries(GATES))('%s without an opinion does not pass', async (kind, gate) => {
    const purpose = REVIEWERS[kind as keyof typeof GATES].purpose as JudgePurpose;
    const models = {
      [purpose]: purpose === 'cross_model' ? [model('gemini')] : model('gemini'),
    } as JudgeModels;
    const run = (judge: unknown) =>
      runGate(gate, { 'src/add.mjs': '' }, PATCH, {
        context: {
          judge: judge as never,
          task: { id: 'add', title: 'Let add add', description: '', writer: 'claude-sonnet' },
        },
      });
    expect((await run(null)).outcome).toBe('could_not_run');
    for (const [, outcome, failure] of failures) {
      const ask = async () => ({ calls: 1, tokens: null, ms: 1, ...failure });
      expect(await run({ models, ask })).toMatchObject({ outcome, kind: 'judged', findings: [] });
    }
  });
});

describe('the registry', () => {
  it('has each row under its kind, and a row for each kind of judgement that asks a model', () => {
    for (const [kind, row] of Object.entries(REVIEWERS)) expect(row.kind).toBe(kind);
    const asking = JUDGEMENT_KINDS.filter((kind) => kind !== 'review_pipeline');
    expect(Object.keys(JUDGING_REVIEWERS).sort()).toEqual([...asking].sort());
  });

  it('serves each purpose, and shows each kind of piece to some reviewer', () => {
    const all = Object.values(REVIEWERS) as unknown as Pick<
      ModelReviewer<never, never>,
      'purpose' | 'shows'
    >[];
    expect([...new Set(all.map(({ purpose }) => purpose))].sort()).toEqual(
      Object.keys(JUDGE_PURPOSES).sort(),
    );
    const shown = new Set<PieceKind>(all.flatMap(({ shows }) => [...shows]));
    expect([...shown].sort()).toEqual([...PIECE_KINDS].sort());
  });

  it('names a prompt of its own for each row', () => {
    const prompts = Object.values(REVIEWERS).map(({ prompt }) => prompt.id);
    expect(new Set(prompts).size).toBe(prompts.length);
  });
});
