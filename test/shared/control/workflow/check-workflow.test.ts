import { describe, expect, it } from 'vitest';
import { BUILTIN_WORKFLOWS } from '../../../../shared/control/workflow/builtin-workflows.ts';
import { findWorkflowFaults } from '../../../../shared/control/workflow/check-workflow.ts';
import { parseWorkflow } from '../../../../shared/control/workflow/parse-workflow.ts';
import { BUILTIN_RUBRICS } from '../../../../shared/reviews/rubric/builtin-rubrics.ts';

const KNOWN = BUILTIN_RUBRICS.map(({ name }) => name);

/** A workflow without faults, a line for each node and edge, with some of them taken out, changed or added. */
function file(changes: { without?: RegExp; nodes?: string[]; edges?: string[] } = {}): string {
  const keep = (line: string) => !changes.without?.test(line);
  return [
    'name: careful',
    'nodes:',
    ...[
      '{ id: start, type: start }',
      '{ id: who, type: agent_assignment, config: { agent_name: generator-agent } }',
      '{ id: work, type: task, config: { title: Do it } }',
      '{ id: verify, type: verification, config: { rubric_name: default-task, evaluator_agent_id: evaluator-agent } }',
      '{ id: again, type: task, config: { title: Mend it } }',
      '{ id: person, type: task, config: { title: Decide } }',
      '{ id: end, type: end }',
    ].filter(keep),
    ...(changes.nodes ?? []),
  ]
    .map((line) => (line.startsWith('{') ? `  - ${line}` : line))
    .concat(
      'edges:',
      ...[
        '{ id: e1, source_node_id: start, target_node_id: who }',
        '{ id: e2, source_node_id: who, target_node_id: work }',
        '{ id: e3, source_node_id: work, target_node_id: verify }',
        '{ id: pass, source_node_id: verify, target_node_id: end, type: verification_pass }',
        '{ id: fail, source_node_id: verify, target_node_id: again, type: verification_fail }',
        '{ id: refer, source_node_id: verify, target_node_id: person, type: verification_refer }',
        '{ id: e4, source_node_id: again, target_node_id: end }',
        '{ id: e5, source_node_id: person, target_node_id: end }',
      ]
        .filter(keep)
        .concat(changes.edges ?? [])
        .map((line) => `  - ${line}`),
    )
    .join('\n');
}

const faults = (text: string) =>
  parseWorkflow(text, 'w.yaml', KNOWN).problems.map(({ code, node_id, edge_id, line }) => [
    code,
    edge_id ?? node_id ?? null,
    line,
  ]);
const edge = (id: string, from: string, to: string, type = 'sequential') =>
  `{ id: ${id}, source_node_id: ${from}, target_node_id: ${to}, type: ${type} }`;

describe('a workflow without faults', () => {
  it('has none, and neither has any that is built in', () => {
    expect(faults(file())).toEqual([]);
    for (const each of BUILTIN_WORKFLOWS) expect(findWorkflowFaults(each, KNOWN), each.name).toEqual([]);
  });
});

describe('each row of the seed’s checks', () => {
  it.each([
    [
      'unreachable_node',
      file({ nodes: ['{ id: alone, type: parallel_join }'] }),
      [['unreachable_node', 'alone', 10]],
    ],
    [
      'end_not_reachable',
      file({ without: /pass,|e4|e5/ }),
      [
        ['end_not_reachable', 'end', 9],
        ['verification_missing_pass', 'verify', 6],
      ],
    ],
    [
      'conditional_missing_true and _false',
      file({
        nodes: ['{ id: when, type: conditional }'],
        edges: [edge('c', 'start', 'when'), edge('d', 'when', 'end')],
      }),
      [
        ['conditional_missing_true', 'when', 10],
        ['conditional_missing_false', 'when', 10],
        ['conditional_extra_outgoing', 'd', 21],
      ],
    ],
    [
      'split_too_few_branches',
      file({
        nodes: ['{ id: split, type: parallel_split }'],
        edges: [edge('c', 'start', 'split'), edge('d', 'split', 'end', 'parallel_branch')],
      }),
      [['split_too_few_branches', 'split', 10]],
    ],
    [
      'task_missing_title',
      file({
        nodes: ['{ id: none, type: task, config: { title: "  " } }'],
        edges: [edge('c', 'start', 'none'), edge('d', 'none', 'work')],
      }),
      [['task_missing_title', 'none', 10]],
    ],
    ['verification_missing_pass', file({ without: /pass,/ }), [['verification_missing_pass', 'verify', 6]]],
    [
      'verification_missing_fail',
      file({ without: /fail,|again/ }),
      [['verification_missing_fail', 'verify', 6]],
    ],
    [
      'verification_missing_refer',
      file({ without: /refer,|person/ }),
      [['verification_missing_refer', 'verify', 6]],
    ],
    [
      'verification_duplicate_edge, once for each type',
      file({
        edges: [
          edge('again2', 'verify', 'end', 'verification_pass'),
          edge('again3', 'verify', 'end', 'verification_pass'),
        ],
      }),
      [['verification_duplicate_edge', 'verify', 6]],
    ],
    [
      'verification_extra_outgoing',
      file({ edges: [edge('more', 'verify', 'end')] }),
      [['verification_extra_outgoing', 'more', 19]],
    ],
    [
      'verification_edge_outside',
      file({ edges: [edge('odd', 'work', 'end', 'verification_pass')] }),
      [['verification_edge_outside', 'odd', 19]],
    ],
    [
      'verification_missing_config, once for each of two',
      file({
        without: /type: verification,/,
        nodes: ['{ id: verify, type: verification }'],
      }),
      [
        ['verification_missing_config', 'verify', 9],
        ['verification_missing_config', 'verify', 9],
      ],
    ],
    [
      'cycle_detected, where a cycle has no exit',
      file({ edges: [edge('back', 'again', 'verify')] }),
      [['cycle_detected', 'verify', 6]],
    ],
  ])('%s', (_code, text, expected) => {
    expect(faults(text)).toEqual(expected);
  });
});

describe('what the seed does not check, and we do', () => {
  it.each([
    [
      'an unknown rubric',
      file({
        without: /type: verification,/,
        nodes: ['{ id: verify, type: verification, config: { rubric_name: nice, evaluator_agent_id: eve } }'],
      }),
      [['verification_unknown_rubric', 'verify', 9]],
    ],
    [
      'an evaluator who does the work',
      file({
        without: /type: verification,/,
        nodes: [
          '{ id: verify, type: verification, config: { rubric_name: default-task, evaluator_agent_id: generator-agent } }',
        ],
      }),
      [['verification_self_evaluation', 'verify', 9]],
    ],
    [
      'work behind a pass',
      file({
        without: /pass,/,
        nodes: ['{ id: more, type: task, config: { title: More } }'],
        edges: [edge('pass', 'verify', 'more', 'verification_pass'), edge('e6', 'more', 'end')],
      }),
      [['verification_work_after_pass', 'more', 10]],
    ],
    [
      'a title that is too long',
      file({
        nodes: [`{ id: long, type: task, config: { title: ${'a'.repeat(600)} } }`],
        edges: [edge('c', 'start', 'long'), edge('d', 'long', 'work')],
      }),
      [['config_invalid', 'long', 10]],
    ],
    [
      'an expression that cannot be read',
      file({
        nodes: ['{ id: when, type: conditional, config: { expression: "weather == fine" } }'],
        edges: [
          edge('c', 'start', 'when'),
          edge('d', 'when', 'end', 'conditional_true'),
          edge('f', 'when', 'end', 'conditional_false'),
        ],
      }),
      [['condition_invalid', 'when', 10]],
    ],
    [
      'a setting that nobody reads',
      file({
        nodes: ['{ id: join, type: parallel_join, config: { colour: red } }'],
        edges: [edge('c', 'start', 'join'), edge('d', 'join', 'work')],
      }),
      [['config_invalid', 'join', 10]],
    ],
    [
      'unlike the seed, no rubric where evidence alone decides',
      file({
        without: /type: verification,/,
        nodes: ['{ id: verify, type: verification, config: { grader: evidence } }'],
      }),
      [],
    ],
  ])('%s', (_what, text, expected) => {
    expect(faults(text)).toEqual(expected);
  });

  it('collects the faults of the structure with the others, in a fixed order', () => {
    const text = file({
      without: /id: end|refer,/,
      nodes: ['{ id: work, type: task, config: { title: Twice } }'],
      edges: [edge('e1', 'start', 'start'), edge('far', 'work', 'nowhere')],
    });
    expect(faults(text).map(([code]) => code)).toEqual([
      'duplicate_node_id',
      'duplicate_edge_id',
      'self_loop',
      'unknown_node',
      'end_count',
      'unreachable_node',
      'verification_missing_pass',
      'verification_missing_refer',
      'cycle_detected',
    ]);
  });
});

describe('a file that is no workflow', () => {
  it.each([
    [
      'aliases that expand without an end',
      `a: &a [x, x]\nb: &b [*a, *a]\nname: [*b, *b]\n`,
      'has aliases, which are not read',
    ],
    ['more than 64 KiB', `name: careful\n# ${'x'.repeat(10_000_000)}`, 'has more than 65536 bytes'],
    ['brackets within brackets', `name: ${'['.repeat(12_000)}`, null],
    ['a field that is not known', `${file()}\ncolour: red`, 'colour is not a known field'],
    ['a version that is none', `${file()}\nversion: 1.0`, null],
  ])('is refused in one sentence: %s', (_what, text, message) => {
    const { workflow, problems } = parseWorkflow(text, 'w.yaml', KNOWN);
    expect(workflow).toBeNull();
    expect(problems.length).toBeGreaterThan(0);
    expect(problems[0]?.code).toBe('syntax');
    if (message) expect(problems[0]?.message).toBe(message);
  });
});
