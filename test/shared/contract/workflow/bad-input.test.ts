import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_APPROVAL_SETTINGS } from '../../../../shared/control/approvals/approval-settings.ts';
import { BUILTIN_WORKFLOWS } from '../../../../shared/control/workflow/builtin-workflows.ts';
import { parseWorkflow } from '../../../../shared/control/workflow/parse-workflow.ts';
import { resolveWorkflow } from '../../../../shared/control/workflow/resolve-workflow.ts';
import { provideNoCredentials } from '../../../../shared/store/credential-provider.ts';
import { runResolveBaseCommitStep } from '../../../../shared/use-cases/cascade/resolve-base-commit.ts';
import { runWorkflowReviews } from '../../../../shared/use-cases/review/run-workflow-reviews.ts';
import { submitTask } from '../../../../shared/use-cases/submit/submit-task.ts';
import {
  ANY_AGENTS,
  FIXED_NOW,
  fakeSha1,
  REJECTING_OBJECTS,
  submission,
  taskInReview,
} from '../../../support/builders.ts';
import { createTestTable } from '../../../support/dynalite-table.ts';

let table: Awaited<ReturnType<typeof createTestTable>>;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

const WORKFLOW = `name: bad
nodes:
  - { id: start, type: start }
  - { id: who, type: agent_assignment, config: { agent_name: generator-agent } }
  - { id: work, type: task, config: { title: Do it } }
  - { id: verify, type: verification, config: { rubric_name: own, evaluator_agent_id: evaluator-agent, grader: llm } }
  - { id: again, type: task, config: { title: Mend it } }
  - { id: person, type: task, config: { title: Decide } }
  - { id: end, type: end }
edges:
  - { id: e1, source_node_id: start, target_node_id: who }
  - { id: e2, source_node_id: who, target_node_id: work }
  - { id: e3, source_node_id: work, target_node_id: verify }
  - { id: pass, source_node_id: verify, target_node_id: end, type: verification_pass }
  - { id: fail, source_node_id: verify, target_node_id: again, type: verification_fail }
  - { id: refer, source_node_id: verify, target_node_id: person, type: verification_refer }
  - { id: e4, source_node_id: again, target_node_id: end }
  - { id: e5, source_node_id: person, target_node_id: end }
`;
const RUBRIC = `name: own
criteria:
  - { name: adds, description: It adds, weight: 0.5, grade_type: binary }
  - { name: clear, description: It is clear, weight: 0.5, grade_type: score }
`;
/** Nine lines that stand for a billion words. */
const bomb = (end: string): string =>
  [
    'a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]',
    ...[...'bcdefgh'].map((letter, at) => {
      const before = 'abcdefgh'[at];
      return `${letter}: &${letter} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`;
    }),
    end,
  ].join('\n');

/** What becomes of a task whose base has these files. */
async function submitted(files: Readonly<Record<string, string>>) {
  const { task } = await submitTask(
    submission({ base_ref: 'main', workflow: 'bad', acceptance_criteria: ['it adds'] }),
    {
      tasks: table.tasks,
      now: FIXED_NOW,
      submitter: 'ann',
      idempotencyKey: null,
      allowFileRepositories: false,
      pushScopes: [],
      agents: ANY_AGENTS,
      objects: REJECTING_OBJECTS,
    },
  );
  await runResolveBaseCommitStep(task.id, 1, {
    tasks: table.tasks,
    deadlines: table.deadlines,
    now: () => FIXED_NOW,
    readRefs: async () => [{ name: 'refs/heads/main', id: fakeSha1('a') }],
    readFiles: async (_repository, _commit, paths) =>
      new Map(paths.map((path) => [path, files[path] ?? null])),
    getCredential: provideNoCredentials,
    sleep: async () => {},
  });
  return { before: task, after: await table.tasks.require(task.id) };
}
const W = '.assay/workflows/bad.yaml';
const R = '.assay/rubrics/own.yaml';
const files = (workflow: string, rubric = RUBRIC) => ({ [W]: workflow, [R]: rubric });

describe('a workflow or a rubric of the base that cannot be', () => {
  it('can be as it is before anything is wrong with it', async () => {
    const { after } = await submitted(files(WORKFLOW));
    expect(after).toMatchObject({ status: 'open', resolved_workflow: { name: 'bad' } });
  });

  it.each([
    [
      'a cycle without an exit',
      files(
        WORKFLOW.replace(
          'source_node_id: again, target_node_id: end',
          'source_node_id: again, target_node_id: verify',
        ),
      ),
      `${W}:6: `,
      /goes round/,
    ],
    [
      'two PASS edges',
      files(
        `${WORKFLOW}  - { id: pass2, source_node_id: verify, target_node_id: again, type: verification_pass }\n`,
      ),
      `${W}:6: `,
      /2 verification_pass edges/,
    ],
    ['an unknown rubric', { [W]: WORKFLOW }, `${W}:6: `, /own/],
    ['weights of 0.999', files(WORKFLOW, RUBRIC.replace('0.5', '0.499')), `${R}:3: `, /add up to 0\.999/],
    ['a rubric of 10 MB', files(WORKFLOW, 'x'.repeat(10_000_000)), `${R}: `, /more than 65536 bytes/],
    ['a workflow that is a bomb of aliases', files(bomb('name: bad')), `${W}:2: `, /aliases/],
    ['a rubric that is one', files(WORKFLOW, bomb('name: own')), `${R}:2: `, /aliases/],
  ])('%s ends the task before any work, with its place', async (_what, of, place, why) => {
    const { before, after } = await submitted(of);
    expect(after.failure?.code).toBe('config_invalid');
    expect(after.failure?.message).toContain(place);
    expect(after.failure?.message).toMatch(why);
    expect(after.failure?.message.length).toBeLessThan(4_000);
    // What is wrong is said once: a rubric that cannot be read is not missing as well.
    expect(after.failure?.message.match(/there is no rubric/g)?.length ?? 0).toBe(R in of ? 0 : 1);
    const { status: _, version: __, updated_at: ___, ended_at, failure, expires_at, ...rest } = after;
    // Nothing else of it has changed: no base, no workflow, no attempt.
    expect(before).toMatchObject(rest);
    expect([after.status, ended_at !== null, failure !== null, expires_at !== null]).toEqual([
      'failed',
      true,
      true,
      true,
    ]);
  });
});

describe('a grader', () => {
  const read = parseWorkflow(WORKFLOW.replace('rubric_name: own', 'rubric_name: default-task'), W, [
    'default-task',
  ]);
  if (!read.workflow || BUILTIN_WORKFLOWS.length === 0) throw new Error(JSON.stringify(read.problems));
  const fields = { acceptance_criteria: ['it adds'] };
  const of = taskInReview({}, fields);
  const task = {
    ...of,
    resolved_workflow: resolveWorkflow(read.workflow, of, { from: 'repository', rubrics: [] }),
  };
  const all = ['correctness', 'completeness', 'probe-adherence'].map((criterion) => ({
    criterion,
    grade: 1,
  }));

  it.each([
    ['answers for a criterion that nobody asked about', [...all, { criterion: 'wit', grade: 1 }], '"wit"'],
    ['answers twice for one', [...all, { criterion: 'correctness', grade: 0 }], 'correctness twice'],
  ])(
    'that %s is for a person, with what was wrong, and the task stays as it is',
    async (_what, grades, why) => {
      const before = structuredClone(task);
      const [attempt] = task.attempts;
      if (!attempt) throw new Error('there is an attempt');
      const model = { provider: 'anthropic', model: 'claude-sonnet-5-5', family: 'other' } as never;
      const said = await runWorkflowReviews(
        task,
        attempt,
        { gates: [] },
        [{ kind: 'diff', label: 'diff', text: '+1' }],
        {
          ask: async (_model, { answerSchema }) => ({
            value: answerSchema.parse({
              findings: [],
              per_criterion_grades: grades,
              verdict: 'pass',
              confidence: 0.99,
            }) as never,
            calls: 1,
            tokens: null,
            ms: 1,
          }),
          models: { rubric: model },
          objects: { getRange: async () => null },
          autonomy: DEFAULT_APPROVAL_SETTINGS.autonomy,
          budgetRefusal: null,
          now: () => FIXED_NOW,
        },
      );
      expect(said).toMatchObject([{ kind: 'verification', verdict: 'refer', confidence: 0 }]);
      expect(said[0]?.reasons.join()).toContain(why);
      expect(task).toEqual(before);
    },
  );
});
