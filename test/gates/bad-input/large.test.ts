import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gatherEvidence } from '../../../gates/pipeline/gather-evidence.ts';
import { gatherEvidenceOn } from '../../support/gather-evidence.ts';
import { createTemporaryFolder, createTestRepository } from '../../support/git-repository.ts';
import { createPatchFixture } from '../../support/patch-fixture.ts';
import { configured, found, said } from './support.ts';

const MB = 1_048_576;
const CHEAP =
  'dlp_scan: false\nlint_command: "true"\nlarge_file_check: true\nsuppressions: true\ntest_integrity: true\ndead_code_check: true';

test('a file of 100 MB that is full of holes is looked at by every gate', async () => {
  const repository = createTestRepository({ 'assay.yaml': configured(CHEAP), 'a.js': '1;\n' });
  writeFileSync(join(repository.dir, 'holes.bin'), '');
  truncateSync(join(repository.dir, 'holes.bin'), 100 * MB);
  const evidence = await gatherEvidenceOn(repository);
  expect(said(evidence)).toEqual({ verdict: 'pass', not_passed: [] });
  expect(found(evidence, 'large_file')).toEqual(['large_file holes.bin']);
});

test('code that is one line of 100 MB is not read, and a gate that reads code says so', async () => {
  const repository = createTestRepository({
    'assay.yaml': configured(`${CHEAP}\npii_scan: false`),
    'a.js': '1;\n',
  });
  writeFileSync(join(repository.dir, 'line.js'), Buffer.alloc(100 * MB, 'a'));
  writeFileSync(join(repository.dir, 'line.test.js'), Buffer.alloc(3 * MB, 'a'));
  const evidence = await gatherEvidenceOn(repository);
  expect(said(evidence)).toEqual({
    verdict: 'refer',
    not_passed: ['dead_code: could_not_run', 'suppressions: could_not_run'],
  });
  expect(found(evidence, 'large_file')).toEqual(['large_file line.js', 'large_file line.test.js']);
  expect(found(evidence, 'dead_code')).toEqual(['not_readable line.js', 'not_readable line.test.js']);
  expect(found(evidence, 'suppressions')).toContain('not_readable line.js');
});

test('a package.json of 100 MB is put back whole', async () => {
  const repository = createTestRepository({
    'assay.yaml': configured('lint_command: grep -q honest package.json\npii_scan: false\ndlp_scan: false'),
    'package.json': '{"scripts":{"test":"honest"}}',
  });
  writeFileSync(
    join(repository.dir, 'package.json'),
    Buffer.concat([
      Buffer.from('{"scripts":{"test":"true"},"a":"'),
      Buffer.alloc(100 * MB, 'a'),
      Buffer.from('"}'),
    ]),
  );
  const evidence = await gatherEvidenceOn(repository);
  expect(said(evidence)).toEqual({ verdict: 'refer', not_passed: [] });
  expect(evidence.protected_files).toMatchObject([{ path: 'package.json', checked_version: 'base' }]);
});

test('10,000 changed files are looked at', async () => {
  const files = (value: number): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`m/${index % 100}/f${index}.txt`, `${value + index}\n`]),
    );
  const config = configured('lint: false\ndlp_scan: false\nlarge_file_check: true');
  const evidence = await gatherEvidence({
    ...(await createPatchFixture({ 'assay.yaml': config, ...files(0) }, files(1))),
    signals: [],
    workDir: createTemporaryFolder(),
  });
  expect(said(evidence)).toEqual({ verdict: 'pass', not_passed: [] });
  expect(evidence.changed_files).toHaveLength(10_000);
  expect(evidence.gates.find(({ name }) => name === 'large_file')?.facts).toMatchObject({
    files_measured: 10_000,
  });
});
