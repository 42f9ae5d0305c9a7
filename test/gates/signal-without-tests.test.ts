import { expect, it } from 'vitest';
import { gatherEvidenceOn } from '../support/gather-evidence.ts';
import { createTestRepository } from '../support/git-repository.ts';

const TEST = "const { test } = require('node:test');\ntest('adds', () => {});\n";
const PACKAGE = '{"scripts":{"test":"node --test"}}';
const signals = [
  { type: 'test_passes', command: 'node --test' },
  { type: 'test_passes', command: 'npm test' },
  { type: 'test_passes', command: 'test -f a.js' },
];
const seen = async (
  patch: Record<string, string | null>,
  base: Record<string, string> = { 'a.test.js': TEST },
): Promise<string[]> => {
  const repository = createTestRepository({ 'a.js': '1;\n', 'package.json': PACKAGE, ...base });
  repository.write(patch);
  return (await gatherEvidenceOn(repository, signals)).signals.map(({ outcome }) => outcome);
};

it('a signal whose runner found no test has not passed, whatever its exit code says', async () => {
  expect(await seen({ 'a.js': '2;\n', 'a.test.js': null })).toEqual([
    'could_not_run',
    'could_not_run',
    'passed',
  ]);
});

it('nor one all of whose tests are skipped', async () => {
  const skipped = TEST.replace("test('adds'", "test.skip('adds'");
  expect((await seen({ 'a.test.js': skipped })).slice(0, 1)).toEqual(['could_not_run']);
});

it.each([{ 'a.js': '2;\n' } as Record<string, string>, {} as Record<string, string>])(
  'nor one of a repository without any test, with a patch of %o',
  async (patch) => {
    expect(await seen(patch, {})).toEqual(['could_not_run', 'could_not_run', 'passed']);
  },
);

it('one that ran some has', async () => {
  expect(await seen({ 'a.js': '2;\n' })).toEqual(['passed', 'passed', 'passed']);
});
