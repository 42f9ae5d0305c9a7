import { describe, expect, test } from 'vitest';
import { deriveVerdictFromEvidence } from '../../shared/control/verdict/reduce-to-verdict.ts';
import { gatherEvidenceOn, listGateOutcomes } from '../support/gather-evidence.ts';
import { createTestRepository } from '../support/git-repository.ts';

const CONFIG = (lint: string, more = '') =>
  `version: 1\n${more}quality_gates:\n  pii_scan: false\n  dlp_scan: false\n  lint_command: ${lint}\n`;
const BASE = { '.eslintrc': 'strict\n', '.github/ci.yml': 'test\n', 'a.js': '1\n' };

describe('a file that steers checks', () => {
  const changed = (more = '') => {
    const repository = createTestRepository({
      ...BASE,
      'assay.yaml': CONFIG('cat .eslintrc .github/ci.yml', more),
    });
    repository.write({ '.github/ci.yml': 'true\n', 'a.js': '2\n' });
    return repository;
  };

  test('is put back, and then a person decides, however well all else went', async () => {
    const evidence = await gatherEvidenceOn(changed());
    expect(listGateOutcomes(evidence)).toEqual(['lint: passed']);
    expect(evidence.protected_files).toMatchObject([
      { path: '.github/ci.yml', kind: 'ci', checked_version: 'base', allowed_by: null },
    ]);
    const verdict = deriveVerdictFromEvidence(evidence);
    expect(verdict).toMatchObject({
      verdict: 'refer',
      verified: true,
      reasons: [{ code: 'protected_files_put_back' }],
    });
    expect(verdict.reasons[0]?.message).toContain('.github/ci.yml (ci)');
  });

  test.each([
    ['the task foresees its kind', '', { expectedChanges: ['ci' as const] }, 'expected_changes: ci'],
    ['the task names it', '', { files: ['.github/ci.yml', 'a.js'] }, 'files of the task'],
    [
      'the base allows it',
      "protected:\n  allow: ['.github/**']\n",
      {},
      'protected.allow of the base: .github/**',
    ],
  ])('is judged and delivered as the patch has it where %s', async (_name, more, foreseen, by) => {
    const evidence = await gatherEvidenceOn(
      changed(more),
      [{ type: 'test_passes', command: 'grep true .github/ci.yml' }],
      foreseen,
    );
    expect(evidence.signals[0]).toMatchObject({ outcome: 'passed' });
    expect(evidence.protected_files).toMatchObject([
      { path: '.github/ci.yml', checked_version: 'patch', allowed_by: by },
    ]);
    expect(deriveVerdictFromEvidence(evidence)).toMatchObject({ verdict: 'pass', verified: true });
  });

  test.each([
    ['another kind', { expectedChanges: ['lint_config' as const] }],
    ['its folder only', { files: ['.github'] }],
    ['another file', { files: ['.github/other.yml'] }],
  ])('is put back where the task foresees %s', async (_name, foreseen) => {
    expect(deriveVerdictFromEvidence(await gatherEvidenceOn(changed(), [], foreseen)).verdict).toBe('refer');
  });

  test('is not allowed by what the patch itself says it allows', async () => {
    const repository = changed();
    repository.write({ 'assay.yaml': CONFIG('true', "protected:\n  allow: ['**']\n") });
    const evidence = await gatherEvidenceOn(repository);
    expect(evidence.protected_files.map(({ path, checked_version: used }) => [path, used])).toEqual([
      ['.github/ci.yml', 'base'],
      ['assay.yaml', 'base'],
    ]);
    expect(deriveVerdictFromEvidence(evidence).verdict).toBe('refer');
  });

  test('of the gates may be delivered, and the base still says how this patch is judged', async () => {
    const repository = createTestRepository({ ...BASE, 'assay.yaml': CONFIG('grep 1 a.js') });
    repository.write({ 'a.js': '2\n', 'assay.yaml': CONFIG('"true"') });
    const evidence = await gatherEvidenceOn(repository, [], { expectedChanges: ['gates_config'] });
    expect(listGateOutcomes(evidence)).toEqual(['lint: failed']);
    expect(evidence.protected_files).toMatchObject([{ path: 'assay.yaml', checked_version: 'patch' }]);
  });

  test('that is a manifest is put back in part, and as a whole in force where it is foreseen', async () => {
    const repository = createTestRepository({
      'package.json': '{"scripts":{"test":"real"}}',
      'assay.yaml': CONFIG('cat package.json'),
    });
    repository.write({ 'package.json': '{"scripts":{"test":"true"},"dependencies":{"a":"1"}}' });
    const put = await gatherEvidenceOn(repository, [
      { type: 'test_passes', command: 'grep real package.json' },
    ]);
    expect(put.signals[0]?.outcome).toBe('passed');
    expect(put.protected_files).toMatchObject([
      { path: 'package.json', kind: 'manifest', checked_version: 'part' },
    ]);
    expect(deriveVerdictFromEvidence(put).verdict).toBe('refer');
    const foreseen = await gatherEvidenceOn(
      repository,
      [{ type: 'test_passes', command: 'grep true package.json' }],
      {
        expectedChanges: ['manifest'],
      },
    );
    expect(foreseen.signals[0]?.outcome).toBe('passed');
    expect(deriveVerdictFromEvidence(foreseen).verdict).toBe('pass');
  });

  test('that no work consists of is foreseen by no word, and must be named', async () => {
    const repository = createTestRepository({ ...BASE, 'assay.yaml': CONFIG('"true"') });
    repository.write({ 'pytest.py': 'raise SystemExit(0)\n' });
    const { EXPECTED_CHANGE_KINDS } = await import('../../shared/contract/submission/expected-changes.ts');
    expect(
      deriveVerdictFromEvidence(
        await gatherEvidenceOn(repository, [], { expectedChanges: EXPECTED_CHANGE_KINDS }),
      ).verdict,
    ).toBe('refer');
    expect(
      deriveVerdictFromEvidence(await gatherEvidenceOn(repository, [], { files: ['pytest.py'] })).verdict,
    ).toBe('pass');
  });
});
