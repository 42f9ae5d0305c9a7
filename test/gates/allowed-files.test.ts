import { describe, expect, test } from 'vitest';
import { parseAssayConfig } from '../../gates/pipeline/configuration/parse-config.ts';
import { deriveVerdictFromEvidence } from '../../shared/control/verdict/reduce-to-verdict.ts';
import { gatherEvidenceOn, listGateOutcomes } from '../support/gather-evidence.ts';
import { createTestRepository } from '../support/git-repository.ts';

const LINT = 'quality_gates:\n  pii_scan: false\n  dlp_scan: false\n  lint_command: "true"\n';
const changed = (config: string | null, edits: Record<string, string | null> = { 'src/b.js': '2\n' }) => {
  const repository = createTestRepository({
    'src/a.js': '1\n',
    'src/b.js': '1\n',
    'test/a.test.js': '1\n',
    '.github/ci.yml': 'on\n',
    ...(config === null ? {} : { 'assay.yaml': `version: 1\n${config}` }),
  });
  repository.write({ 'src/a.js': '2\n', ...edits });
  return repository;
};
const gate = (evidence: Awaited<ReturnType<typeof gatherEvidenceOn>>) =>
  evidence.gates.find(({ name }) => name === 'allowed_files');

describe('a patch that changes files which its task does not name', () => {
  test('is held, however well all else went, and the evidence says which', async () => {
    const evidence = await gatherEvidenceOn(changed(LINT), [], { files: ['src/a.js'] });
    expect(listGateOutcomes(evidence)).toEqual(['lint: passed', 'allowed_files: could_not_run']);
    expect(gate(evidence)).toMatchObject({
      required: true,
      findings: [{ file: 'src/b.js', rule: 'outside_allowed_files' }],
      facts: { files_outside: 1, files_changed: 2 },
    });
    const verdict = deriveVerdictFromEvidence(evidence);
    expect(verdict).toMatchObject({ verdict: 'refer', reasons: [{ subject: 'allowed_files' }] });
    expect(verdict.reasons[0]?.message).toContain('src/b.js');
  });

  test('is held where the repository has no assay.yaml, and where its pipeline names other gates', async () => {
    for (const config of [
      null,
      'quality_gates:\n  pipeline:\n    - { name: lint, command: "true", condition: always }\n',
    ])
      expect(
        deriveVerdictFromEvidence(await gatherEvidenceOn(changed(config), [], { files: ['src/a.js'] }))
          .verdict,
      ).toBe('refer');
  });

  test('is reported only where the base says so', async () => {
    const evidence = await gatherEvidenceOn(changed(`allowed_files: info\n${LINT}`), [], {
      files: ['src/a.js'],
    });
    expect(gate(evidence)).toMatchObject({
      outcome: 'passed',
      required: false,
      findings: [{ file: 'src/b.js' }],
    });
    expect(deriveVerdictFromEvidence(evidence).verdict).toBe('pass');
  });

  test('is not looked at where the base switches it off, and what the patch says about it does not count', async () => {
    const repository = changed(`allowed_files: off\n${LINT}`);
    expect(gate(await gatherEvidenceOn(repository, [], { files: ['src/a.js'] }))).toBeUndefined();
    const own = changed(LINT, { 'src/b.js': '2\n', 'assay.yaml': `version: 1\nallowed_files: off\n${LINT}` });
    expect(gate(await gatherEvidenceOn(own, [], { files: ['src/a.js', 'assay.yaml'] }))?.outcome).toBe(
      'could_not_run',
    );
  });
});

describe('a patch keeps to the files of its task', () => {
  test.each<[string, Parameters<typeof changed>[1], Parameters<typeof gatherEvidenceOn>[2]]>([
    ['where it changes these only', { 'src/b.js': '2\n' }, { files: ['src/a.js', 'src/b.js'] }],
    ['where it changes what is in a folder', { 'src/b.js': '2\n' }, { files: ['src/'] }],
    ['where the task names the whole checkout', { 'src/b.js': '2\n' }, { files: ['.'] }],
    [
      'where the task foresees the kind of the others',
      { '.github/ci.yml': 'off\n' },
      { files: ['src/a.js'], expectedChanges: ['ci'] },
    ],
    [
      'where the others are tests, which the task foresees',
      { 'test/a.test.js': '2\n' },
      { files: ['src/a.js'], expectedChanges: ['tests_change'] },
    ],
  ])('%s', async (_name, edits, foreseen) => {
    const evidence = await gatherEvidenceOn(changed(LINT, edits), [], foreseen);
    expect(gate(evidence)).toMatchObject({ outcome: 'passed', findings: [] });
    expect(deriveVerdictFromEvidence(evidence).verdict).toBe('pass');
  });

  test.each<[string, Parameters<typeof changed>[1]]>([
    ['a name that only begins like a folder', { 'src/a.jsx': '1\n' }],
    ['the new name of a file that was renamed', { 'src/b.js': null, 'lib/b.js': '1\n' }],
    ['tests, which it does not foresee', { 'test/a.test.js': '2\n' }],
  ])('not where it changes %s', async (_name, edits) => {
    expect(gate(await gatherEvidenceOn(changed(LINT, edits), [], { files: ['src/a.js'] }))?.outcome).toBe(
      'could_not_run',
    );
  });

  test('and is verified by nothing of that', async () => {
    const evidence = await gatherEvidenceOn(changed(null), [], { files: ['src'] });
    expect(listGateOutcomes(evidence)).toEqual(['allowed_files: passed']);
    expect(deriveVerdictFromEvidence(evidence)).toMatchObject({ verdict: 'pass', verified: false });
  });
});

test('where the task names no files, nothing is outside, and the evidence lists what was changed', async () => {
  const evidence = await gatherEvidenceOn(changed(LINT));
  expect(gate(evidence)).toBeUndefined();
  expect(evidence.changed_files).toEqual(['src/a.js', 'src/b.js']);
});

test('no gate of a project takes its name, and no pipeline or bypass names it', () => {
  for (const [more, says] of [
    ['custom_gates: [{ name: allowed_files, command: "true" }]', 'has the name of the built-in gate'],
    ['pipeline: [{ name: allowed_files }]', 'pipeline[0].name is not a gate'],
    [
      'bypasses: [{ gate: allowed_files, task: "*", by: a, reason: b, until: "2030-01-01" }]\n  allow_bypass: true',
      'bypasses[0].gate is not a gate',
    ],
  ] as const)
    expect(() => parseAssayConfig(`quality_gates:\n  ${more}\n`)).toThrow(says);
  expect(() => parseAssayConfig('allowed_files: never\n')).toThrow('allowed_files');
});
