import { describe, expect, it } from 'vitest';
import { JudgeModels } from '../../../../../shared/contract/models/judge-models.ts';
import { parseWorkflow } from '../../../../../shared/control/workflow/parse-workflow.ts';
import { describeFileProblem } from '../../../../../shared/lib/yaml.ts';

const HEAD = `name: seen
nodes: [{ id: start, type: start }, { id: end, type: end }]
edges: [{ id: a, source_node_id: start, target_node_id: end }]
review:
  vision:
`;
const read = (...lines: string[]) =>
  parseWorkflow(`${HEAD}${lines.map((line) => `    ${line}\n`).join('')}`, 'w.yaml', []);
const said = (...lines: string[]): string[] => read(...lines).problems.map(describeFileProblem);

describe('vision in a workflow', () => {
  it('is off, with the verifier noop, as the seed has it; and its time and tolerance are the seed’s', () => {
    expect(read('{}').workflow?.review.vision).toEqual({
      enabled: false,
      verifier: 'noop',
      expectations: [],
      colour_tolerance: 0.15,
      on_missing_deliverable: 'skip',
      timeout_s: 60,
    });
  });

  it('says of an expectation what it is, with severity high, and no tolerance of its own unlike in the seed’s source', () => {
    const { workflow } = read(
      'enabled: true',
      'verifier: heuristic',
      'expectations: [{ kind: dominant_colour, description: blue, expected_rgb: [0, 0, 255] }]',
    );
    expect(workflow?.review.vision.expectations).toEqual([
      { kind: 'dominant_colour', description: 'blue', expected_rgb: [0, 0, 255], severity: 'high' },
    ]);
  });

  it('is refused with all that is wrong, each with its line', () => {
    expect(
      said(
        'enabled: perhaps',
        'verifier: eyes',
        'colour_tolerance: 1.5',
        'timeout_s: 91',
        'on_missing_deliverable: pass',
        'model: gpt',
        'expectations:',
        '  - { kind: dominant_colour, description: blue, expected_rgb: [0, 0, 256] }',
        '  - { kind: dominant_colour, description: blue, expected_rgb: [0, 0] }',
        '  - { kind: not_blank, description: "", severity: awful }',
        '  - { kind: not_blank, description: a, screenshot: ../a }',
        '  - { kind: not_blank, description: a, expected_rgb: [0, 0, 0] }',
        '  - { kind: layout, description: a }',
      ).map((each) => each.split(': ').slice(0, 2).join(': ')),
    ).toEqual(
      expect.arrayContaining([
        'w.yaml:6: review.vision.enabled',
        'w.yaml:7: review.vision.verifier',
        'w.yaml:8: review.vision.colour_tolerance',
        'w.yaml:9: review.vision.timeout_s',
        'w.yaml:10: review.vision.on_missing_deliverable',
        'w.yaml:11: review.vision.model is not a known field',
        'w.yaml:13: review.vision.expectations.0.expected_rgb.2',
        'w.yaml:14: review.vision.expectations.1.expected_rgb',
        'w.yaml:15: review.vision.expectations.2.description',
        'w.yaml:15: review.vision.expectations.2.severity',
        'w.yaml:16: review.vision.expectations.3.screenshot',
        'w.yaml:17: review.vision.expectations.4.expected_rgb is not a known field',
        'w.yaml:18: review.vision.expectations.5.kind',
      ]),
    );
  });

  it.each([
    ['heuristic with nothing to look for', ['enabled: true', 'verifier: heuristic'], 'there are none'],
    [
      'expectations that nobody would look at',
      ['enabled: true', 'verifier: llm_vision', 'expectations: [{ kind: not_blank, description: a }]'],
      'are looked at by `verifier: heuristic` only',
    ],
  ])('unlike the seed’s, is refused: %s', (_, lines, why) => {
    expect(said(...lines).join()).toContain(why);
  });
});

describe('the model that looks', () => {
  const model = { provider: 'openai_compatible', model: 'own', url: 'http://127.0.0.1:1/v1' };
  it.each([undefined, false])(
    'is refused where nobody says that it reads pictures (%s)',
    (supports_vision) => {
      const { error } = JudgeModels.safeParse({ vision: { ...model, supports_vision } });
      expect(error?.issues).toMatchObject([{ path: ['vision', 'supports_vision'] }]);
    },
  );

  it('is any that is said to, and no other purpose asks for that', () => {
    expect(JudgeModels.safeParse({ vision: { ...model, supports_vision: true }, judge: model }).success).toBe(
      true,
    );
  });
});
