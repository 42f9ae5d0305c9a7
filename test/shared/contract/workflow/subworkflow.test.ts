import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_WORKFLOW_NODES } from '../../../../shared/contract/workflow/schema.ts';
import { readWorkflowAtBaseCommit } from '../../../../shared/control/workflow/base-workflow.ts';
import { loadWorkflow } from '../../../../shared/control/workflow/load-workflow.ts';
import { workflowPath } from '../../../../shared/control/workflow/parse-workflow.ts';
import { task } from '../../../support/builders.ts';

type Files = Readonly<Record<string, string>>;
const reader =
  (files: Files, asked: string[] = []) =>
  async (paths: readonly string[]) => {
    asked.push(...paths);
    return new Map(paths.map((path) => [path, files[path] ?? null]));
  };

const yaml = (name: string, nodes: readonly string[], edges: readonly string[], more = ''): string =>
  [
    `name: ${name}`,
    more,
    'nodes:',
    ...nodes.map((node) => `  - ${node}`),
    'edges:',
    ...edges.map((edge) => `  - ${edge}`),
  ]
    .filter((line) => line !== '')
    .join('\n');
const ends = ['{ id: start, type: start }', '{ id: end, type: end }'];
const step = (id: string) => `{ id: ${id}, type: task, config: { title: ${id} } }`;
const edge = (from: string, to: string, type = 'sequential') =>
  `{ id: ${from}-${to}-${type}, source_node_id: ${from}, target_node_id: ${to}, type: ${type} }`;
const line = (...ids: string[]) => ids.slice(1).map((to, index) => edge(ids[index] ?? '', to));
const sub = (id: string, name: string, more = '') =>
  `{ id: ${id}, type: subworkflow, config: { subworkflow_id: ${name}, version: 1.0.0${more} } }`;

/** A step, then the step that `deep` is for, or the other one. */
const CHILD = yaml(
  'child',
  [
    ...ends,
    step('look'),
    '{ id: when, type: conditional, config: { expression: deep } }',
    step('dig'),
    step('skim'),
  ],
  [
    ...line('start', 'look', 'when'),
    edge('when', 'dig', 'conditional_true'),
    edge('when', 'skim', 'conditional_false'),
    edge('dig', 'end'),
    edge('skim', 'end'),
  ],
  'inputs: [{ name: deep, type: boolean }]',
);
const PARENT = yaml(
  'parent',
  [...ends, step('before'), sub('child', 'child', ', input_bindings: { deep: true }'), step('after')],
  line('start', 'before', 'child', 'after', 'end'),
);
const files = (more: Files = {}): Files => ({
  [workflowPath('child')]: CHILD,
  [workflowPath('parent')]: PARENT,
  ...more,
});

const steps = async (name: string, all: Files, of = task()) => {
  const read = await readWorkflowAtBaseCommit(name, of, reader(all));
  return 'why' in read ? read.why : read.workflow.steps.map(({ node }) => node);
};
const problems = async (name: string, all: Files) => {
  const path = workflowPath(name);
  const { problems: found } = await loadWorkflow({ path, text: all[path] ?? '' }, reader(all));
  return found.map(({ code, file, line: at, node_id }) => [
    code,
    file === path ? at : `${file}:${at}`,
    node_id ?? null,
  ]);
};

describe('a workflow within a workflow', () => {
  it('puts its steps where it is named, and its inputs decide which', async () => {
    expect(await steps('parent', files())).toEqual(['before', 'child/look', 'child/dig', 'after']);
    const shallow = files({ [workflowPath('parent')]: PARENT.replace('deep: true', 'deep: false') });
    expect(await steps('parent', shallow)).toEqual(['before', 'child/look', 'child/skim', 'after']);
  });

  it('may be one that is built in, twice in the same one', async () => {
    const twice = yaml(
      'twice',
      [...ends, sub('one', 'verification-pipeline'), sub('two', 'verification-pipeline')],
      line('start', 'one', 'two', 'end'),
    );
    const read = await readWorkflowAtBaseCommit('twice', task(), reader({ [workflowPath('twice')]: twice }));
    expect(
      'workflow' in read &&
        read.workflow.verifications.map(({ node, graded_step: from_stage }) => [node, from_stage]),
    ).toEqual([
      ['one/verify', 'one/task-generate'],
      ['two/verify', 'two/task-generate'],
    ]);
  });

  it('hands on what it is told, and what the task says of itself', async () => {
    const middle = yaml(
      'middle',
      [...ends, sub('inner', 'child', ', input_bindings: { deep: "@parent.thorough" }')],
      line('start', 'inner', 'end'),
      'inputs: [{ name: thorough, type: boolean, required: false, default: false }]',
    );
    const all = files({
      [workflowPath('middle')]: middle,
      [workflowPath('parent')]: yaml(
        'parent',
        [...ends, sub('m', 'middle', ', input_bindings: { thorough: true }')],
        line('start', 'm', 'end'),
      ),
      [workflowPath('plain')]: yaml('plain', [...ends, sub('m', 'middle')], line('start', 'm', 'end')),
    });
    expect(await steps('parent', all)).toEqual(['m/inner/look', 'm/inner/dig']);
    expect(await steps('plain', all)).toEqual(['m/inner/look', 'm/inner/skim']);
    const byRole = files({
      [workflowPath('child')]: CHILD.replace('type: boolean', 'type: string').replace(
        'expression: deep',
        'expression: deep == docs',
      ),
      [workflowPath('parent')]: PARENT.replace('deep: true', 'deep: "@parent.role"'),
    });
    expect(await steps('parent', byRole, task({ role: 'docs' }))).toContain('child/dig');
    expect(await steps('parent', byRole, task({ role: 'backend' }))).toContain('child/skim');
  });

  it('cannot be named by a task where it must be told something', async () => {
    expect(await steps('child', files())).toMatch(/for other workflows, which say what deep is/);
    expect(await problems('child', files())).toEqual([]);
  });

  const place = (config: string) => ({
    [workflowPath('parent')]: PARENT.replace(
      /\{ id: child, .*\}/,
      `{ id: child, type: subworkflow, config: { ${config} } }`,
    ),
  });
  it.each<[string, string, Files, unknown[][]]>([
    ['names none', 'parent', place('version: 1.0.0'), [['subworkflow_ref_missing', 6, 'child']]],
    [
      'pins no version',
      'parent',
      place('subworkflow_id: child'),
      [['subworkflow_version_unpinned', 6, 'child']],
    ],
    [
      'names one that there is not',
      'parent',
      place('subworkflow_id: other, version: 1.0.0'),
      [['subworkflow_not_found', 6, 'child']],
    ],
    [
      'names another version',
      'parent',
      place('subworkflow_id: child, version: 2.0.0'),
      [['subworkflow_not_found', 6, 'child']],
    ],
    [
      'names it in a way that no file has',
      'parent',
      place('subworkflow_id: ../child, version: 1.0.0'),
      [['config_invalid', 6, 'child']],
    ],
    [
      'leaves out an input',
      'parent',
      place('subworkflow_id: child, version: 1.0.0'),
      [['subworkflow_input_missing', 6, 'child']],
    ],
    [
      'binds what it has not',
      'parent',
      place('subworkflow_id: child, version: 1.0.0, input_bindings: { deep: true, far: 1 }'),
      [['subworkflow_input_unknown', 6, 'child']],
    ],
    [
      'binds another type',
      'parent',
      place('subworkflow_id: child, version: 1.0.0, input_bindings: { deep: 1 }'),
      [['subworkflow_input_type_mismatch', 6, 'child']],
    ],
    [
      'binds what its parent has not',
      'parent',
      place('subworkflow_id: child, version: 1.0.0, input_bindings: { deep: "@parent.nothing" }'),
      [['subworkflow_input_type_mismatch', 6, 'child']],
    ],
    [
      'binds an output',
      'parent',
      place(
        'subworkflow_id: child, version: 1.0.0, input_bindings: { deep: true }, output_bindings: { a: "@child.a" }',
      ),
      [['subworkflow_output_unknown', 6, 'child']],
    ],
    [
      'stands in itself',
      'parent',
      {
        ...place('subworkflow_id: child, version: 1.0.0'),
        [workflowPath('child')]: yaml(
          'child',
          [...ends, sub('back', 'parent')],
          line('start', 'back', 'end'),
        ),
      },
      [['subworkflow_cycle_detected', `${workflowPath('child')}:5`, 'back/child']],
    ],
    [
      'has a review that would not be held',
      'parent',
      { [workflowPath('child')]: `${CHILD}\nreview: { stages: [verdict, person] }` },
      [['subworkflow_review', 6, 'child']],
    ],
    [
      'has a fault of its own, which is told once, of its file',
      'parent',
      { [workflowPath('child')]: CHILD.replace('expression: deep', 'expression: weather') },
      [['condition_invalid', `${workflowPath('child')}:7`, 'when']],
    ],
  ])('is refused where it %s', async (_title, name, more, expected) => {
    expect(await problems(name, files(more))).toEqual(expected);
    expect(await steps(name, files(more))).toEqual(expect.any(String));
  });

  it('is graded by nobody who has done the work before it', async () => {
    const grading = yaml(
      'grading',
      [
        ...ends,
        '{ id: verify, type: verification, config: { rubric_name: default-task, evaluator_agent_id: ada } }',
        step('again'),
        step('person'),
      ],
      [
        edge('start', 'verify'),
        edge('verify', 'end', 'verification_pass'),
        edge('verify', 'again', 'verification_fail'),
        edge('verify', 'person', 'verification_refer'),
        edge('again', 'end'),
        edge('person', 'end'),
      ],
    );
    const main = yaml(
      'main',
      [
        ...ends,
        '{ id: who, type: agent_assignment, config: { agent_name: ada } }',
        step('work'),
        sub('g', 'grading'),
      ],
      line('start', 'who', 'work', 'g', 'end'),
    );
    expect(
      await problems('main', { [workflowPath('grading')]: grading, [workflowPath('main')]: main }),
    ).toEqual([['verification_self_evaluation', 7, 'g/verify']]);
  });

  it('is not followed without an end, however often workflows name each other', async () => {
    // Each level names the next ten times: 10^19 nodes.
    const level = (n: number) =>
      yaml(
        `l${n}`,
        [...ends, ...Array.from({ length: 10 }, (_, index) => sub(`s${index}`, `l${n + 1}`))],
        line('start', ...Array.from({ length: 10 }, (_, index) => `s${index}`), 'end'),
      );
    const all = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [workflowPath(`l${n}`), level(n)]));
    const asked: string[] = [];
    const path = workflowPath('l0');
    const { problems: found } = await loadWorkflow({ path, text: all[path] ?? '' }, reader(all, asked));
    expect(found.map(({ code }) => code)).toContain('subworkflow_too_large');
    expect(asked.length).toBeLessThanOrEqual(20);
    expect(await steps('l0', all)).toEqual(expect.stringMatching(/more than 100 nodes/));
  });

  it('means the same as its nodes written out, wherever it stands in a line', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), async (isSub) => {
        const inner = yaml('inner', [...ends, step('x'), step('y')], line('start', 'x', 'y', 'end'));
        const main = yaml(
          'main',
          [...ends, ...isSub.map((each, index) => (each ? sub(`n${index}`, 'inner') : step(`n${index}`)))],
          line('start', ...isSub.map((_, index) => `n${index}`), 'end'),
        );
        const all = { [workflowPath('main')]: main, [workflowPath('inner')]: inner };
        expect(await steps('main', all)).toEqual(
          isSub.flatMap((each, index) => (each ? [`n${index}/x`, `n${index}/y`] : [`n${index}`])),
        );
        expect(isSub.length * 4).toBeLessThan(MAX_WORKFLOW_NODES);
      }),
    );
  });
});
