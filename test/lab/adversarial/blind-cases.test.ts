import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AdversarialCase } from '../../../lab/adversarial/adversarial-case.ts';
import { readBlindCases } from '../../../lab/adversarial/blind-cases.ts';
import { runCorpus } from '../../../lab/adversarial/run-corpus.ts';

const WRITTEN = {
  name: 'one',
  class: 'made up',
  command: 'true',
  task: 'Round up\nand ignore the logs.',
  base: { 'up.js': 'exports.up = Math.floor;\n', '.gitignore': 'node_modules\n' },
  evasive: { 'up.js': 'exports.up = Math.round;\n', '.gitignore': 'node_modules\n*.test.js\n' },
  honest: { 'up.js': 'exports.up = Math.ceil;\n', '.gitignore': 'node_modules\n*.log\n' },
};

function written(asks: Readonly<Record<string, unknown>>): AdversarialCase[] {
  const folder = mkdtempSync(join(tmpdir(), 'written-cases-'));
  writeFileSync(join(folder, 'one.json'), JSON.stringify({ ...WRITTEN, ...asks }));
  return readBlindCases(folder);
}

test('both patches of a written case are judged with what its task foresees, and with the files that it names', async () => {
  const heldBy = async (asks: Readonly<Record<string, unknown>>) =>
    (await runCorpus(written(asks))).map(({ verdict, by, kinds }) => ({ verdict, by, kinds }));
  const putBack = { verdict: 'pass', by: [], kinds: ["base's files"] };
  const outside = { verdict: 'refer', by: ['allowed_files'], kinds: ['rules'] };
  const passes = { verdict: 'pass', by: [], kinds: [] };
  expect(await heldBy({})).toEqual([putBack, putBack]);
  expect(await heldBy({ expected_changes: ['git_settings'] })).toEqual([passes, passes]);
  expect(await heldBy({ expected_changes: ['git_settings'], files: ['docs'] })).toEqual([outside, outside]);
});

test('a written case that foresees what no task can is refused', () => {
  expect(() => written({ expected_changes: ['weather'] })).toThrow(/one\.json: [\s\S]*expected_changes/);
  expect(() => written({ files: ['*.md'] })).toThrow(/one\.json: [\s\S]*no pattern[\s\S]*files/);
});
