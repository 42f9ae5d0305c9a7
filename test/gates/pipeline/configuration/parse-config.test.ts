import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../../gates/core/configuration-file.ts';
import { BUILT_IN_GATES } from '../../../../gates/gates/gate-registry.ts';
import { parseAssayConfig } from '../../../../gates/pipeline/configuration/parse-config.ts';
import { resolveGatePipeline } from '../../../../gates/pipeline/gate-pipeline.ts';

const refusal = (text: string): string => {
  try {
    parseAssayConfig(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('was accepted');
};
const steps = (text: string) =>
  resolveGatePipeline(parseAssayConfig(text).gates).map(
    ({ gate, required, condition, explicitlyEnabled }) => ({
      name: gate.name,
      required,
      condition,
      explicitlyEnabled,
    }),
  );

test('every switch that users bring along from elsewhere is known', () => {
  const switches = {
    lint: true,
    type_check: false,
    tests: false,
    pii_scan: true,
    dlp_scan: true,
    security_scan: false,
    coverage_delta: false,
    complexity_check: false,
    dead_code_check: false,
    comment_quality_check: false,
    import_cycle_check: false,
    merge_conflict_check: false,
    mutation_testing: false,
    dep_audit: false,
    large_file_check: false,
    migration_reversibility_check: false,
    integration_test_gen: false,
    review_rubric: false,
    test_expansion: false,
    agent_test_mutation: false,
    auto_format: false,
    benchmark: { enabled: false, threshold: 0.1 },
    intent_verification: { enabled: false, model: 'google/gemini-flash-1.5', block_on_no: true },
    cross_model: { enabled: false },
    timeout_s: 120,
    base_ref: 'main',
    cache_enabled: true,
    allow_bypass: false,
    flaky_detection: true,
    flaky_min_runs: 5,
    flaky_threshold: 0.15,
    complexity_threshold: 0.2,
    dead_code_min_confidence: 80,
    large_file_threshold: 500,
    mutation_threshold: 0.5,
    mutation_command: 'mutmut run',
  };
  const { gates } = parseAssayConfig(JSON.stringify({ quality_gates: switches }));
  expect(resolveGatePipeline(gates).map(({ gate }) => gate.name)).toEqual(['lint', 'pii_scan', 'dlp_scan']);
});

test('a step may call its command an override', () => {
  const { gates } = parseAssayConfig(
    'quality_gates:\n  pipeline:\n    - { name: lint, required: true, condition: always, command_override: ruff check }\n',
  );
  expect(resolveGatePipeline(gates)).toMatchObject([{ command: 'ruff check' }]);
});

describe('a configuration that cannot be used names key and line', () => {
  test.each([
    [
      'an unknown key at the top',
      'version: 1\n\nquality_gate: {}\n',
      'assay.yaml:3: quality_gate is not a known key',
    ],
    [
      'an unknown key of the gates',
      'quality_gates:\n  lint: true\n  lnt: true\n',
      'assay.yaml:3: quality_gates.lnt is not a known key',
    ],
    [
      'a wrong type',
      'quality_gates:\n  enabled: true\n  tests: "yes"\n',
      'assay.yaml:3: quality_gates.tests Invalid input: expected boolean, received string',
    ],
    ['a number out of range', 'quality_gates: { timeout_s: 0 }\n', 'assay.yaml:1: quality_gates.timeout_s '],
    ['another version', '\nversion: 2\n', 'assay.yaml:2: version must be 1'],
    [
      'an empty command',
      'quality_gates:\n  test_command: "  "\n',
      'assay.yaml:2: quality_gates.test_command must not be empty',
    ],
    [
      'an unknown gate',
      'quality_gates:\n  pipeline:\n    - name: lint\n    - name: lynt\n',
      'assay.yaml:4: quality_gates.pipeline[1].name is not a gate; known: ',
    ],
    [
      'a command under both of its names',
      'quality_gates:\n  pipeline:\n    - { name: lint, command: a, command_override: b }\n',
      'assay.yaml:3: quality_gates.pipeline[0].command_override is another name of "command", which is set too',
    ],
    [
      'a gate that is there twice',
      'quality_gates:\n  pipeline:\n    - name: lint\n    - name: lint\n',
      'assay.yaml:4: quality_gates.pipeline[1].name lists "lint" twice',
    ],
    [
      'an unknown key of a step',
      'quality_gates:\n  pipeline:\n    - name: lint\n      requird: true\n',
      'assay.yaml:4: quality_gates.pipeline[0].requird is not a known key',
    ],
    [
      'an unknown condition',
      'quality_gates:\n  pipeline:\n    - name: lint\n      condition: sometimes\n',
      'assay.yaml:4: quality_gates.pipeline[0].condition must be one of always, ',
    ],
    [
      'a bad glob',
      'quality_gates:\n  pipeline:\n    - { name: lint, condition: "changed: src/{a" }\n',
      'assay.yaml:3: quality_gates.pipeline[0].condition',
    ],
    [
      'what the deployment says of all repositories together',
      'version: 1\nverification_nudge:\n  threshold: 0.5\n',
      'assay.yaml:2: verification_nudge is a setting of the deployment: `assay:nudgeThreshold`',
    ],
    ['YAML that is none', 'quality_gates:\n  lint: [true\n', 'assay.yaml:3: is not valid YAML: '],
    ['a key that is there twice', 'version: 1\nversion: 1\n', 'assay.yaml:2: is not valid YAML: '],
    ['a list', '- a\n', 'assay.yaml:1: Invalid input'],
    [
      'aliases that grow without end',
      `a: &a [x]\n${Array.from(
        { length: 9 },
        (_, n) =>
          `b${n}: &b${n} [${Array(10)
            .fill(n ? `*b${n - 1}` : '*a')
            .join(',')}]`,
      ).join('\n')}\n`,
      'assay.yaml:1: cannot be read: ',
    ],
    ['a file without end', `#${'x'.repeat(300_000)}\n`, 'assay.yaml:1: is over 262144 bytes'],
  ])('%s', (_, text, message) => {
    expect(refusal(text)).toContain(message);
  });

  test('and every problem is told at once', () => {
    expect(
      refusal('quality_gates:\n  lint: 1\n  nope: 2\nverification_nudge:\n  min_completions: 0\n').split(
        '\n',
      ),
    ).toHaveLength(3);
  });
});

describe('the pipeline', () => {
  test('is made from the switches: what is on by default runs unasked', () => {
    const byDefault = BUILT_IN_GATES.filter(({ enabledByDefault }) => enabledByDefault).map(
      ({ name }) => name,
    );
    expect(steps('version: 1\n').filter(({ name }) => byDefault.includes(name))).toEqual(
      steps('version: 1\n'),
    );
    expect(steps('')[0]).toEqual({
      name: 'lint',
      required: true,
      condition: 'always',
      explicitlyEnabled: false,
    });
    expect(steps('quality_gates: { lint: false }\n').map(({ name }) => name)).not.toContain('lint');
  });

  test('has the gates that are switched on, in the order of the registry', () => {
    const asked = steps('quality_gates: { tests: true, type_check: true }\n').filter(
      (step) => step.explicitlyEnabled,
    );
    expect(asked).toEqual([
      { name: 'type_check', required: true, condition: 'code_changed', explicitlyEnabled: true },
      { name: 'tests', required: true, condition: 'code_changed', explicitlyEnabled: true },
    ]);
  });

  test('is as it is written when it is written, whatever the switches say', () => {
    expect(
      steps(
        'quality_gates:\n  lint: false\n  pipeline:\n    - { name: tests, required: false, condition: python_changed }\n    - { name: lint }\n',
      ),
    ).toEqual([
      { name: 'tests', required: false, condition: 'python_changed', explicitlyEnabled: true },
      { name: 'lint', required: true, condition: 'always', explicitlyEnabled: true },
    ]);
  });

  test.each(['quality_gates: { enabled: false, tests: true }\n', 'quality_gates: { pipeline: [] }\n'])(
    'is empty with %s',
    (text) => {
      expect(steps(text)).toEqual([]);
    },
  );

  test('is empty when there is no configuration', () => {
    expect(resolveGatePipeline(null)).toEqual([]);
  });
});

test('the example in the documentation is a configuration, and it names every common key', () => {
  const [, example = ''] =
    /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/reference/configuration.md', 'utf8')) ?? [];
  const { gates } = parseAssayConfig(example);
  expect(resolveGatePipeline(gates).map(({ gate }) => gate.name)).toEqual(['lint', 'tests', 'type_check']);
  for (const key of Object.keys(gates))
    if (key !== 'settings' && key !== 'modules') expect(example).toMatch(new RegExp(`^  ${key}:`, 'm'));
});
