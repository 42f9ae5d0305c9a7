import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../../../shared/contract/agents/tiers.ts';
import type { Judgement } from '../../../../shared/contract/judgement/judgement.ts';
import { ReviewSettings } from '../../../../shared/contract/review/review-settings.ts';
import { decideNextCascadeAction } from '../../../../shared/control/cascade/decide-after-attempt.ts';
import { joinVerdictWithJudgements } from '../../../../shared/control/verdict/join-judgements.ts';
import { applyWorkflowReview } from '../../../../shared/control/workflow/apply-workflow-review.ts';
import { readWorkflowAtBaseCommit } from '../../../../shared/control/workflow/base-workflow.ts';
import {
  DEFAULT_WORKFLOW,
  findBuiltinWorkflow,
} from '../../../../shared/control/workflow/builtin-workflows.ts';
import { parseCondition } from '../../../../shared/control/workflow/condition.ts';
import { renderWorkflowMermaid } from '../../../../shared/control/workflow/mermaid.ts';
import { regenerationLimitReason } from '../../../../shared/control/workflow/regeneration-limit.ts';
import { findVerdictRoute, resolveWorkflow } from '../../../../shared/control/workflow/resolve-workflow.ts';
import { buildWorkflowGraph } from '../../../../shared/control/workflow/workflow-graph.ts';
import { createJudgementWithoutOpinion } from '../../../../shared/reviews/engine/engine.ts';
import { addMissingGradingJudgements } from '../../../../shared/reviews/reviewers/expected-judgements.ts';
import { RUBRIC_GRADING_REVIEWER } from '../../../../shared/reviews/reviewers/rubric-grading.ts';
import { attempt, task, taskInReview, verdict } from '../../../support/builders.ts';

const PIPELINE = findBuiltinWorkflow('verification-pipeline') ?? DEFAULT_WORKFLOW;
const inForce = resolveWorkflow(PIPELINE, task(), { from: 'builtin', rubrics: [] });
const judged = (word: 'pass' | 'fail' | 'refer'): Judgement => {
  const [node] = inForce.verifications;
  if (!node) throw new Error('the pipeline has a node');
  return {
    ...createJudgementWithoutOpinion(RUBRIC_GRADING_REVIEWER, { of: node }, { code: 'unknown_writer' }),
    outcome: word === 'pass' ? 'passed' : 'failed',
    verdict: word,
  };
};
const WORDS = ['pass', 'fail', 'refer'] as const;

describe('a verdict takes its edge out of a verification node', () => {
  it.each([
    ['pass', 'end', ['task-regenerate', 'task-human-escalation']],
    ['fail', 'task-regenerate', ['task-human-escalation']],
    ['refer', 'task-human-escalation', ['task-regenerate']],
  ] as const)('%s leads to %s, past what is on no other way', (word, to, skipped) => {
    expect(findVerdictRoute(buildWorkflowGraph(PIPELINE), 'verify', word)).toEqual({ taken: to, skipped });
  });

  it('that is not there skips nothing', () => {
    expect(findVerdictRoute(buildWorkflowGraph(PIPELINE), 'task-plan', 'pass')).toEqual({
      taken: null,
      skipped: [],
    });
  });
});

describe('what a workflow makes of a task', () => {
  it('has the steps in order, and who grades whom, as the seed’s pipeline says', () => {
    expect(inForce.steps.map(({ node }) => node)).toEqual(['task-plan', 'task-generate']);
    expect(inForce.verifications).toMatchObject([
      {
        node: 'verify',
        generator_agent: 'generator-agent',
        evaluator_agent: 'evaluator-agent',
        max_regenerations: 1,
      },
    ]);
  });

  it('is, for a task that names none, the verdict as it is', () => {
    const before = verdict({ verdict: 'refer' });
    expect(applyWorkflowReview(taskInReview(), before)).toBe(before);
    const compiled = resolveWorkflow(DEFAULT_WORKFLOW, task(), { from: 'builtin', rubrics: [] });
    for (const word of WORDS) {
      const after = applyWorkflowReview(
        { ...taskInReview(), resolved_workflow: compiled },
        verdict({ verdict: word }),
      );
      expect(after).toMatchObject({
        ...verdict({ verdict: word }),
        workflow: { routes: [{ verdict: word }] },
      });
    }
  });

  it('never makes a verdict better, nor verified what has no evidence of ours', () => {
    const severity = { pass: 0, refer: 1, fail: 2 };
    fc.assert(
      fc.property(
        fc.constantFrom(...WORDS),
        fc.boolean(),
        fc.constantFrom(...WORDS),
        fc.subarray(['verdict', 'internal', 'client', 'person'] as const, { minLength: 1 }),
        (observed, verified, opinion, stages) => {
          const of = {
            ...taskInReview(),
            acceptance_criteria: ['it adds'],
            resolved_workflow: {
              ...inForce,
              review: ReviewSettings.parse({
                stages,
                clients: [{ id: 'ada', strategy: 'criteria_check' }],
                require_all_criteria_met: true,
              }),
            },
          };
          const seen = verdict({ verdict: observed, verified });
          const after = applyWorkflowReview(
            of,
            joinVerdictWithJudgements(seen, addMissingGradingJudgements(of, seen, [judged(opinion)])),
          );
          expect(severity[after.verdict]).toBeGreaterThanOrEqual(severity[observed]);
          expect(after.verified).toBe(verified);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('work that was graded down', () => {
  const graded = (...words: (typeof WORDS)[number][]) => ({
    ...taskInReview(),
    resolved_workflow: inForce,
    attempts: words.map((word, index) => {
      const of = { ...taskInReview(), resolved_workflow: inForce };
      const last = index === words.length - 1;
      return attempt({
        ...taskInReview().attempts[0],
        number: index + 1,
        tier: 'haiku',
        outcome: last ? null : 'failed',
        verdict: applyWorkflowReview(
          of,
          joinVerdictWithJudgements(verdict({ verdict: 'pass' }), [judged(word)]),
        ),
      });
    }),
  });
  it('is done again as often as its workflow says, then a person decides', () => {
    expect(regenerationLimitReason(graded('fail'))).toBeNull();
    expect(decideNextCascadeAction(graded('fail'), DEFAULT_TIER_MODELS).action).toBe('escalate');
    expect(regenerationLimitReason(graded('fail', 'fail'))).toContain(
      '2 times, and the workflow has it done again 1 time',
    );
    expect(decideNextCascadeAction(graded('fail', 'fail'), DEFAULT_TIER_MODELS).action).toBe('refer');
    expect(regenerationLimitReason(graded('refer', 'fail'))).toBeNull();
  });
});

describe('an expression of a conditional node', () => {
  const facts = { role: 'docs', priority: 1, complexity: 'high' };
  it.each([
    ['true', true],
    ['false', false],
    ['role', true],
    ['role == docs', true],
    ['role != docs', false],
    ['priority == 1', true],
    ['NOT role == docs', false],
    ['role == qa OR role == docs AND complexity == high', true],
    ['(role == docs OR role == qa) AND NOT complexity == high', false],
    ['role == "docs"', true],
  ])('%s is %s', (text, value) => {
    expect(parseCondition(text, Object.keys(facts))(facts)).toBe(value);
  });
  it.each(['role ==', '(role == docs', 'role docs', 'weather', 'AND', 'role == docs OR', 'role $ docs'])(
    '%s cannot be read',
    (text) => {
      expect(() => parseCondition(text, Object.keys(facts))).toThrow();
    },
  );
});

describe('the workflow of a task', () => {
  const read =
    (files: Record<string, string>) =>
    async (paths: readonly string[]): Promise<Map<string, string | null>> =>
      new Map(paths.map((path) => [path, files[path] ?? null]));
  const of = task({ acceptance_criteria: [] });

  it('is built in where the base has no file of its name', async () => {
    expect(await readWorkflowAtBaseCommit('verification-pipeline', of, read({}))).toEqual({
      workflow: inForce,
    });
  });

  it.each([
    ['there is none', 'none', {}, 'there is no .assay/workflows/none.yaml in the base'],
    [
      'it has another name',
      'other',
      { '.assay/workflows/other.yaml': 'name: own\nnodes: []' },
      '.assay/workflows/other.yaml',
    ],
    [
      'its rubric does not add up',
      'verification-pipeline',
      {
        '.assay/rubrics/default-task.yaml':
          'name: default-task\ncriteria:\n  - { name: a, description: d, weight: 0.9, grade_type: score }',
      },
      '.assay/rubrics/default-task.yaml:3: criteria: the weights add up to 0.9, not to 1',
    ],
  ])('is refused with its place where %s', async (_what, name, files, words) => {
    const found = await readWorkflowAtBaseCommit(name, of, read(files as Record<string, string>));
    expect('why' in found && found.why).toContain(words);
  });
});

it('a drawing has our names for nodes, and the file’s words only between quotes', () => {
  const drawn = renderWorkflowMermaid({
    nodes: [
      { id: 'start', type: 'start', config: {} },
      { id: 'end', type: 'end', label: 'done"]; click n0 "http://x"', config: {} },
    ],
    edges: [{ id: 'e', source_node_id: 'start', target_node_id: 'end', type: 'verification_pass' }],
  });
  expect(drawn).toBe(
    'flowchart TD\n  n0(["start"])\n  n1(["done#34;]#59; click n0 #34;http://x#34;"])\n  n0 -->|"VERIFICATION PASS"| n1',
  );
});
