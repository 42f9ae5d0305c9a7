import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../gates/core/configuration-file.ts';
import { gatherEvidenceOn } from '../../support/gather-evidence.ts';
import { createTestRepository } from '../../support/git-repository.ts';
import { configured } from './support.ts';

const letters = [...'abcdefghi'];
/** Nine lists of nine, each of the one before. */
const BOMB = letters
  .map(
    (letter, index) =>
      `${letter}: &${letter} [${Array(9)
        .fill(index === 0 ? 'x' : `*${letters[index - 1]}`)
        .join(',')}]`,
  )
  .join('\n');

describe('an assay.yaml is refused with a reason and a line', () => {
  test.each<[string, string | Buffer, string]>([
    ['that is not UTF-8', Buffer.from('version: 1 # caf\xe9\n', 'latin1'), 'assay.yaml:1: is not UTF-8 text'],
    ['of bytes', Buffer.from([0xff, 0xfe, 0x41]), 'assay.yaml:1: is not UTF-8 text'],
    ['whose aliases would fill the memory', BOMB, 'Excessive alias count'],
    ['with lists in lists without end', '['.repeat(100_000), 'assay.yaml:1: is not valid YAML'],
    ['with mappings in mappings', `a: ${'{a: '.repeat(20_000)}1${'}'.repeat(20_000)}`, 'is not valid YAML'],
    [
      'that contains itself',
      'version: 1\nquality_gates: &a\n  <<: *a\n',
      'assay.yaml:3: quality_gates.<< is not a known key',
    ],
    [
      'that reaches for the prototype',
      configured('__proto__:\n  lint: false'),
      'quality_gates.__proto__ is not a known key',
    ],
    ['that is too large', '#'.repeat(300_000), 'cannot be read'],
    ['with a tag that makes something', 'version: !!js/function "x"\n', 'assay.yaml:1'],
  ])('%s', async (_, text, reason) => {
    const refused = gatherEvidenceOn(createTestRepository({ 'assay.yaml': text }));
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(reason);
  });

  test('and only with the first of many', async () => {
    const flood = configured(Array.from({ length: 3_000 }, (_, index) => `key_${index}: 1`).join('\n'));
    const error = await gatherEvidenceOn(createTestRepository({ 'assay.yaml': flood })).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).problems).toHaveLength(20);
  });
});

test('a command with a NUL byte is not run, and nobody takes that for a pass', async () => {
  const repository = createTestRepository({
    'assay.yaml': configured('pii_scan: false\ndlp_scan: false\nlint_command: "a\\0b"'),
  });
  repository.write({ 'a.js': '1;\n' });
  const [gate] = (await gatherEvidenceOn(repository)).gates;
  expect(gate).toMatchObject({
    outcome: 'infra_failed',
    detail: expect.stringContaining('could not be started') as string,
  });
});
