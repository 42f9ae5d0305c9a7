import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deriveVerdictFromEvidence } from '../../shared/control/verdict/reduce-to-verdict.ts';
import { gatherEvidenceOn, listGateOutcomes } from '../support/gather-evidence.ts';
import { createTestRepository } from '../support/git-repository.ts';

/** The scans, which are on by default, have tests of their own. */
const gates = (lines: string): string =>
  `version: 1\nquality_gates:\n  pii_scan: false\n  dlp_scan: false\n${lines.replace(/^/gm, '  ')}\n`;

/** The tests without the gates that come with them. */
const TESTS_ONLY = 'tests: true\ntest_integrity: false\nsuppressions: false';

describe('the gates', () => {
  test('do not run when there is no configuration, and what is then said is the verdict', async () => {
    const repository = createTestRepository({ 'a.js': '1\n' });
    repository.write({ 'a.js': '2\n' });
    const evidence = await gatherEvidenceOn(repository);
    expect(evidence).toMatchObject({ signals: [], gates: [], changed_files: ['a.js'], empty_patch: false });
    expect(deriveVerdictFromEvidence(evidence)).toMatchObject({ verdict: 'pass', verified: false });
  });

  test('each have an outcome of their own, in the order of the pipeline', async () => {
    const repository = createTestRepository({
      'a.js': '1\n',
      'assay.yaml': gates(
        'pipeline:\n  - { name: tests, command: "sleep 0.2; grep -q 1 a.js || exit 4" }\n  - { name: lint, required: false, command: no-such-linter }\n  - { name: type_check, condition: python_changed, command: "true" }',
      ),
    });
    repository.write({ 'a.js': '2\n' });
    const evidence = await gatherEvidenceOn(repository);
    expect(listGateOutcomes(evidence)).toEqual([
      'tests: failed',
      'lint: could_not_run',
      'type_check: skipped',
    ]);
    expect(evidence.gates.map(({ blocked }) => blocked)).toEqual([true, false, false]);
    expect(evidence.gates[0]?.facts).toMatchObject({
      command: 'sleep 0.2; grep -q 1 a.js || exit 4',
      exit_code: 4,
    });
    expect(evidence.gates[2]?.detail).toBe('skipped: no Python files changed');
    expect(deriveVerdictFromEvidence(evidence)).toMatchObject({
      verdict: 'fail',
      reasons: [{ code: 'gate_failed', subject: 'tests' }],
    });
  });

  test('go with the signals of the author that the base allows, and name the others', async () => {
    const repository = createTestRepository({
      'a.js': '1\n',
      'assay.yaml': 'version: 1\nquality_gates: { enabled: false }\nauthor_signals: [file_contains]\n',
    });
    repository.write({
      'a.js': '2\n',
      'assay.yaml':
        'version: 1\nquality_gates: { enabled: false }\nauthor_signals: [file_contains, test_passes]\n',
    });
    const evidence = await gatherEvidenceOn(repository, [{ type: 'path_exists', path: 'a.js' }], {
      authorSignals: [
        { type: 'file_contains', path: 'a.js', contains: '3' },
        { type: 'test_passes', command: 'touch ran', timeout_s: 9 },
      ],
    });
    expect(evidence.signals.map(({ type, outcome, by_author }) => [type, outcome, by_author])).toEqual([
      ['path_exists', 'passed', undefined],
      ['file_contains', 'failed', true],
      ['test_passes', 'skipped', true],
    ]);
    expect(evidence.signals[2]?.detail).toContain('author_signals in assay.yaml of the base');
  });

  test('that take too long are stopped', async () => {
    const repository = createTestRepository({
      'assay.yaml': gates('timeout_s: 1\nlint_command: sleep 60'),
    });
    repository.write({ 'a.js': '2\n' });
    const evidence = await gatherEvidenceOn(repository);
    expect(listGateOutcomes(evidence)).toEqual(['lint: timed_out']);
    expect(deriveVerdictFromEvidence(evidence).verdict).toBe('refer');
  });

  test('that were switched on, but have nothing to run, could not run; the default one is skipped', async () => {
    const repository = createTestRepository({ 'assay.yaml': gates(TESTS_ONLY) });
    repository.write({ 'a.js': '2\n' });
    const evidence = await gatherEvidenceOn(repository);
    expect(listGateOutcomes(evidence)).toEqual(['lint: skipped', 'tests: could_not_run']);
    expect(evidence.gates[1]?.detail).toContain('no test_command is set');
  });

  test("take the project's own script when no command is set", async () => {
    const repository = createTestRepository({
      'assay.yaml': gates(`lint: false\n${TESTS_ONLY}`),
      'package.json': JSON.stringify({ scripts: { test: 'node -e "process.exit(0)"' } }),
    });
    repository.write({ 'a.js': '2\n' });
    const evidence = await gatherEvidenceOn(repository);
    expect(listGateOutcomes(evidence)).toEqual(['tests: passed']);
    expect(evidence.gates[0]?.facts).toMatchObject({ command: 'npm run --silent test' });
  });

  test('run in checkouts of their own: what one leaves behind, no other sees', async () => {
    const repository = createTestRepository({
      'a.js': '1\n',
      'assay.yaml': gates(
        `${TESTS_ONLY}\ntest_command: test ! -e left && echo x > left && rm a.js\nlint_command: test ! -e left && echo x > left && test -e a.js`,
      ),
    });
    repository.write({ 'b.js': '2\n' });
    const signal = { type: 'test_passes', command: 'test ! -e left && test -e a.js' };
    const evidence = await gatherEvidenceOn(repository, [signal, signal], { maxParallel: 1 });
    expect(listGateOutcomes(evidence)).toEqual(['lint: passed', 'tests: passed']);
    expect(evidence.signals.map(({ outcome }) => outcome)).toEqual(['passed', 'passed']);
  });

  test('cannot make a signal true that was not', async () => {
    const repository = createTestRepository({ 'assay.yaml': gates('lint_command: touch made.txt') });
    repository.write({ 'b.js': '2\n' });
    const evidence = await gatherEvidenceOn(repository, [{ type: 'path_exists', path: 'made.txt' }]);
    expect(evidence.signals[0]).toMatchObject({
      outcome: 'failed',
      detail: 'not found',
      kind: 'checked',
    });
  });

  test('may be bypassed only where the base commit allows it, and then have not passed', async () => {
    const bypasses = [{ gate: 'lint', reason: 'broken today', actor: 'ada', task: null, until: null }];
    const strict = createTestRepository({ 'assay.yaml': gates('lint_command: "false"') });
    strict.write({ 'assay.yaml': gates('allow_bypass: true'), 'b.js': '' });
    await expect(gatherEvidenceOn(strict, [], { bypasses })).rejects.toThrow('allow_bypass');
    const lenient = createTestRepository({
      'assay.yaml': gates('lint_command: "false"\nallow_bypass: true'),
    });
    lenient.write({ 'b.js': '' });
    const evidence = await gatherEvidenceOn(lenient, [], { bypasses });
    expect(evidence.gates[0]).toMatchObject({ outcome: 'bypassed', detail: 'bypassed by ada: broken today' });
    expect(deriveVerdictFromEvidence(evidence)).toMatchObject({ verdict: 'pass', verified: false });
  });

  test('are not run with a configuration that is no file', async () => {
    const repository = createTestRepository({ 'a.js': '' });
    symlinkSync('a.js', join(repository.dir, 'assay.yaml'));
    repository.commit({});
    await expect(gatherEvidenceOn(repository)).rejects.toThrow('assay.yaml:1: is not a regular file');
  });
});

describe('a patch does not choose its own checks:', () => {
  test('the gates of the base run, whatever it writes into assay.yaml', async () => {
    const repository = createTestRepository({
      'a.js': '1\n',
      'assay.yaml': gates('lint_command: grep 1 a.js'),
    });
    repository.write({ 'a.js': '2\n', 'assay.yaml': gates('enabled: false') });
    const evidence = await gatherEvidenceOn(repository);
    expect(listGateOutcomes(evidence)).toEqual(['lint: failed']);
    expect(evidence.protected_files).toEqual([
      {
        path: 'assay.yaml',
        change: 'modified',
        kind: 'gates_config',
        reason: 'gate configuration',
        checked_version: 'base',
        allowed_by: null,
        review_reason: 'gate configuration',
      },
    ]);
  });

  test('its own assay.yaml counts for nothing when the base has none', async () => {
    const repository = createTestRepository({ 'a.js': '1\n' });
    repository.write({ 'assay.yaml': gates('lint_command: "true"') });
    expect((await gatherEvidenceOn(repository)).gates).toEqual([]);
  });

  test('configuration is put back for the gates, scripts of package.json too, and signals see the patch', async () => {
    const repository = createTestRepository({
      'assay.yaml': gates(
        'lint_command: grep -q strict .eslintrc && test ! -e conftest.py && ! test -e .github && grep -q real package.json',
      ),
      '.eslintrc': 'strict\n',
      'package.json': '{"scripts":{"test":"real"},"dependencies":{}}',
    });
    repository.write({
      '.eslintrc': 'lax\n',
      'conftest.py': 'x\n',
      '.github/workflows/ci.yml': 'x\n',
      'package.json': '{"scripts":{"test":"true"},"dependencies":{"a":"1"}}',
    });
    const evidence = await gatherEvidenceOn(repository, [
      { type: 'file_contains', path: '.eslintrc', contains: 'lax' },
      {
        type: 'test_passes',
        command: 'grep -q strict .eslintrc && grep -q real package.json && grep -q \'"a"\' package.json',
      },
    ]);
    expect(listGateOutcomes(evidence)).toEqual(['lint: passed']);
    expect(evidence.signals.map(({ outcome }) => outcome)).toEqual(['passed', 'passed']);
    expect(evidence.protected_files.map(({ path, change }) => `${change} ${path}`)).toEqual([
      'modified .eslintrc',
      'added .github/workflows/ci.yml',
      'added conftest.py',
      'modified package.json',
    ]);
  });

  test('a folder that became a link does not carry the base version out of the checkout', async () => {
    const repository = createTestRepository({
      '.github/a.yml': 'base\n',
      'assay.yaml': gates('lint_command: test -f .github/a.yml && test ! -L .github'),
    });
    const outside = createTestRepository();
    repository.write({ '.github': null });
    symlinkSync(outside.dir, join(repository.dir, '.github'));
    const evidence = await gatherEvidenceOn(repository);
    expect(listGateOutcomes(evidence)).toEqual(['lint: passed']);
    expect(outside.git('status', '--porcelain')).toBe('');
  });

  test('a script that a gate runs is run in its base version as well', async () => {
    const repository = createTestRepository({
      'assay.yaml': gates('lint_command: bash scripts/lint.sh'),
      'scripts/lint.sh': 'test ! -e bad.js\n',
    });
    repository.write({ 'scripts/lint.sh': 'exit 0\n', 'bad.js': '' });
    const evidence = await gatherEvidenceOn(repository);
    expect(listGateOutcomes(evidence)).toEqual(['lint: failed']);
    expect(evidence.gates[0]?.detail).toContain('not with the base version of scripts/lint.sh');
    expect(evidence.gates[0]?.findings).toMatchObject([
      { file: 'scripts/lint.sh', rule: 'check_script_changed' },
    ]);
  });
});

describe('tests that a patch takes away', () => {
  const test1 = (expected: number): string =>
    `const { test } = require('node:test');\nconst assert = require('node:assert');\ntest('one', () => assert.equal(require('../one.js'), ${expected}));\n`;
  const base = {
    'one.js': 'module.exports = 1;\n',
    'test/one.test.js': test1(1),
    'assay.yaml': gates(`lint: false\n${TESTS_ONLY}\ntest_command: node --test`),
  };
  const TWO = "require('node:test').test('something else entirely', () => {});\n";
  const look = async (files: Record<string, string | null>, signals: readonly unknown[] = []) => {
    const repository = createTestRepository(base);
    repository.write(files);
    const evidence = await gatherEvidenceOn(repository, signals);
    return {
      gate: evidence.gates[0],
      signal: evidence.signals[0],
      verdict: deriveVerdictFromEvidence(evidence).verdict,
    };
  };
  const rules = (gate: Awaited<ReturnType<typeof look>>['gate']): string[] =>
    gate?.findings.map(({ rule, file }) => `${rule} ${file}`) ?? [];

  test('and that passed on the base hold gate and signal', async () => {
    const { gate, signal, verdict } = await look(
      { 'one.js': 'module.exports = 2;\n', 'test/one.test.js': null, 'test/two.test.js': TWO },
      [{ type: 'test_passes', command: 'node --test' }],
    );
    expect(verdict).toBe('refer');
    expect([gate?.outcome, signal?.outcome]).toEqual(['could_not_run', 'could_not_run']);
    expect(gate?.detail).toContain('passes on the base, does not run with the patch');
    expect(rules(gate)).toContain('run_test_lost test/one.test.js');
  });

  test.each([
    ['skipped', test1(1).replace('test(', 'test.skip('), 'run_test_skipped'],
    ['without its assertion', test1(1).replace(/assert\.equal.*\)/, '{})'), 'run_old_test_fails'],
    [
      'asking less',
      test1(1).replace(/assert\.equal\(.*1\)\)/, "assert(require('../one.js')))"),
      'run_old_test_fails',
    ],
    ['emptied', '', 'run_test_lost'],
  ])('and that fail in their base version hold the patch: %s', async (_, weak, rule) => {
    const { gate, verdict } = await look({
      'one.js': 'module.exports = 2;\n',
      'test/one.test.js': weak,
      'test/two.test.js': TWO,
    });
    expect(verdict).toBe('refer');
    expect(rules(gate)).toContain(`${rule} test/one.test.js`);
  });

  test('and moved out of sight of the runner are deleted ones', async () => {
    const { verdict } = await look({
      'one.js': 'module.exports = 2;\n',
      'test/one.test.js': null,
      'old/one.txt': test1(1),
    });
    expect(verdict).not.toBe('pass');
  });

  test('but stand in another file pass', async () => {
    const { gate, verdict } = await look({ 'test/one.test.js': null, 'test/all.test.js': test1(1) });
    expect(verdict).toBe('pass');
    expect(rules(gate)).toEqual([]);
  });

  test('are not those that now expect something else: that is told, and does not hold', async () => {
    const { gate, verdict } = await look({ 'one.js': 'module.exports = 2;\n', 'test/one.test.js': test1(2) });
    expect(verdict).toBe('pass');
    expect(rules(gate)).toEqual(['run_expectation_changed test/one.test.js']);
  });

  test('are not new ones', async () => {
    const { gate, verdict } = await look({ 'test/two.test.js': test1(1) });
    expect(verdict).toBe('pass');
    expect(gate?.findings).toEqual([]);
    expect(gate?.facts).toMatchObject({ runs: 1 });
  });
});

test('an odd tree is looked at: a submodule, names that are not UTF-8, an LFS pointer', async () => {
  const repository = createTestRepository({
    'assay.yaml': gates('lint_command: test -d sub'),
    '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
    'big.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
  });
  repository.git('update-index', '--add', '--cacheinfo', `160000,${repository.git('rev-parse', 'HEAD')},sub`);
  repository.git('commit', '--quiet', '-m', 'submodule');
  repository.write({ 'sub/.keep': '' });
  writeFileSync(Buffer.concat([Buffer.from(`${repository.dir}/caf`), Buffer.from([0xe9])]), 'x');
  const evidence = await gatherEvidenceOn(repository, [
    { type: 'file_contains', path: 'big.bin', contains: 'git-lfs' },
  ]);
  expect(evidence.signals[0]?.outcome).toBe('passed');
  expect(evidence.gates[0]?.outcome).toBe('passed');
  expect(evidence.changed_files).toContain('caf\\xe9');
});

test('every test case of a run is handed on, and is not in the evidence', async () => {
  const repository = createTestRepository({
    'a.test.js': "require('node:test')('good', () => {});\n",
    'assay.yaml': gates(`lint: false\n${TESTS_ONLY}\ntest_command: node --test --test-reporter=tap`),
  });
  repository.write({ 'b.js': '1\n' });
  const seen: unknown[] = [];
  const evidence = await gatherEvidenceOn(repository, [], {
    onTests: (gate, tests) => seen.push([gate, tests]),
  });
  expect(listGateOutcomes(evidence)).toEqual(['tests: passed']);
  expect(seen).toEqual([
    ['tests', [{ name: 'good', file: null, outcome: 'passed', duration_ms: expect.any(Number) }]],
  ]);
  expect(evidence.gates[0]).not.toHaveProperty('tests');
});
