import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JudgeModels } from '../../shared/contract/models/judge-models.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import type { JudgementRow } from '../../shared/control/ledger/record-rows.ts';
import { isAskedBy } from '../support/asked-prompt.ts';
import { type ModelServer, startModelServer } from '../support/models/model-server.ts';
import { agent, PROJECT, Repository, RIGHT, WRONG, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

const WORKFLOW = `name: careful
nodes:
  - { id: start, type: start }
  - { id: who, type: agent_assignment, config: { agent_name: generator-agent } }
  - { id: plan, type: task, config: { title: Look at what there is } }
  - { id: work, type: subworkflow, config: { subworkflow_id: write, version: 1.0.0 } }
  - id: verify
    type: verification
    config: { rubric_name: sums, evaluator_agent_id: evaluator-agent, decomposer: llm, grader: llm }
  - { id: again, type: task, config: { title: Mend it, max_regenerations: 1 } }
  - { id: person, type: task, config: { title: Decide } }
  - { id: end, type: end }
edges:
  - { id: e1, source_node_id: start, target_node_id: who }
  - { id: e2, source_node_id: who, target_node_id: plan }
  - { id: e3, source_node_id: plan, target_node_id: work }
  - { id: e4, source_node_id: work, target_node_id: verify }
  - { id: pass, source_node_id: verify, target_node_id: end, type: verification_pass }
  - { id: fail, source_node_id: verify, target_node_id: again, type: verification_fail }
  - { id: refer, source_node_id: verify, target_node_id: person, type: verification_refer }
  - { id: e5, source_node_id: again, target_node_id: end }
  - { id: e6, source_node_id: person, target_node_id: end }
`;
/** Stands in the place of a node of the other. */
const WRITE = `name: write
nodes: [{ id: start, type: start }, { id: do, type: task, config: { title: Do it } }, { id: end, type: end }]
edges: [{ id: a, source_node_id: start, target_node_id: do }, { id: b, source_node_id: do, target_node_id: end }]
`;
const RUBRIC = `name: sums
criteria:
  - { name: adds, description: It adds, weight: 0.75, grade_type: binary }
  - { name: clear, description: One sees that it does, weight: 0.25, grade_type: score }
`;
const CRITERIA = ['sum adds its arguments', 'sum takes negative numbers'];
const PROBES = {
  probes: [
    { source_criterion_index: 0, probe_text: 'Is 2 + 0 given as 2?' },
    { source_criterion_index: 1, probe_text: 'Is -1 + -1 given as -2?' },
  ],
};
const grades = (adds: number, clear: number) => [
  { criterion: 'adds', grade: adds },
  { criterion: 'clear', grade: clear },
];

const answers: unknown[] = [];
let models: ModelServer;
let stack: Stack;
let repository: Repository;
beforeAll(async () => {
  models = await startModelServer({
    answer: ({ conversation }) => (isAskedBy('atomic_probes', conversation) ? PROBES : answers.shift()),
  });
  repository = new Repository({
    ...PROJECT,
    '.assay/workflows/careful.yaml': WORKFLOW,
    '.assay/workflows/write.yaml': WRITE,
    '.assay/workflows/torn.yaml': WORKFLOW.replace('name: careful', 'name: torn').replace(
      'verification_fail',
      'verification_pass',
    ),
    '.assay/rubrics/sums.yaml': RUBRIC,
  });
  const model = {
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    family: 'somebody else',
    url: models.url,
    key: { via: 'environment', variable: 'JUDGE_KEY' },
  } as const;
  const judges: JudgeModels = { rubric: model, decomposer: model };
  stack = await Stack.start({
    JUDGE_KEY: 'planted',
    [FUNCTION_ENV_NAMES.judgeKeys]: 'JUDGE_KEY',
    [FUNCTION_ENV_NAMES.judgeModels]: JSON.stringify(judges),
    ANTHROPIC_API_KEY: '',
  });
});
afterAll(async () => {
  await stack.stop();
  await models.stop();
  repository.remove();
});

const submit = (more: Record<string, unknown> = {}) =>
  stack.submit({
    title: 'Make sum add',
    repository: repository.url,
    adapter: agent(writes('src/sum.js', RIGHT)),
    workflow: 'careful',
    acceptance_criteria: CRITERIA,
    ...more,
  });

it('has work graded down done again with the reasons, and asks a person where the grader is not sure', async () => {
  answers.push(
    {
      findings: ['src/sum.js:1 has no test for negative numbers'],
      per_criterion_grades: grades(1, 0),
      verdict: 'fail',
      confidence: 0.9,
    },
    { findings: ['hard to tell'], per_criterion_grades: grades(1, 0.5), verdict: 'pass', confidence: 0.5 },
  );
  const { id } = await submit();
  const held = await stack.until(id, 'a hold', (task) => task.hold !== null);
  expect(held).toMatchObject({ status: 'in_review', workflow: 'careful', attempt_count: 2 });
  const [first, second] = await stack.attempts(id);
  expect(first).toMatchObject({
    outcome: 'failed',
    verdict: {
      verdict: 'fail',
      verified: true,
      judgements: [
        { kind: 'requirements_review', outcome: 'could_not_run' },
        { kind: 'decomposition', outcome: 'passed', calls: 1, cost_usd: expect.any(Number) },
        {
          kind: 'verification',
          outcome: 'failed',
          verdict: 'fail',
          calls: 1,
          tokens: { input: expect.any(Number), output: expect.any(Number) },
          cost_usd: expect.any(Number),
          grading: {
            node: 'verify',
            rubric: 'sums',
            grades: { adds: 1, clear: 0 },
            weighted_score: 0.75,
            handoff: {
              from_agent_id: 'generator-agent',
              to_agent_id: 'evaluator-agent',
              from_stage: 'work/do',
              to_stage: 'verify',
              probes: [{ id: `${id}-probe-0` }, { id: `${id}-probe-1` }],
            },
          },
        },
      ],
      workflow: {
        name: 'careful',
        routes: [{ node: 'verify', verdict: 'fail', target: 'again', skipped_nodes: ['person'] }],
        review_pipeline: { current_stage: 'verdict', stages_completed: [] },
      },
    },
    decision: { action: 'escalate' },
  });
  expect(second?.verdict).toMatchObject({
    verdict: 'refer',
    workflow: { routes: [{ node: 'verify', verdict: 'refer', target: 'person', skipped_nodes: ['again'] }] },
  });
  expect(second?.judging_cost_usd).toBeGreaterThan(0);
  const artifact = second?.artifact;
  await stack.call('POST', `/tasks/${id}/review`, {
    decision: 'approve',
    reason: 'it adds',
    tree: artifact?.tree,
  });
  expect(await stack.ended(id)).toMatchObject({ status: 'done', verified: true });
  const rows = (await stack.records<JudgementRow>('judgements'))
    .filter((row) => row.task_id === id)
    .sort((one, other) => one.attempt - other.attempt);
  expect(
    rows.flatMap(({ kind, weighted_score }) =>
      kind === 'requirements_review' ? [] : [[kind, weighted_score]],
    ),
  ).toEqual([
    ['decomposition', null],
    ['verification', 0.75],
    ['decomposition', null],
    ['verification', 0.875],
  ]);
});

it('asks nobody where what ran has failed, and no opinion makes such work pass', async () => {
  const before = models.calls.length;
  const { id } = await submit({
    adapter: agent(writes('src/sum.js', WRONG)),
    budget: { max_attempts: 1 },
  });
  expect(await stack.ended(id)).toMatchObject({ status: 'failed', verdict: 'fail' });
  expect(models.calls.length).toBe(before);
});

it('begins no work on a workflow that cannot be run, and says all that is wrong with it', async () => {
  const { id } = await submit({ workflow: 'torn' });
  const ended = await stack.ended(id);
  expect(ended).toMatchObject({ status: 'failed', attempt_count: 0, failure: { code: 'config_invalid' } });
  expect(ended.failure?.message).toContain(
    '.assay/workflows/torn.yaml:7: no verification_fail edge leaves verify',
  );
  expect(ended.failure?.message).toContain(
    '.assay/workflows/torn.yaml:7: 2 verification_pass edges leave verify',
  );
});
