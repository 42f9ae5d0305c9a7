import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderRepositoryReplays, replayListedRepository } from '../../../lab/replay/replay-list.ts';
import { readRepositoryList } from '../../../lab/replay/repository-list.ts';
import { createTemporaryFolder, createTestRepository } from '../../support/git-repository.ts';

test('the list names forty repositories or more, each once, and half of each language is held out', () => {
  const all = readRepositoryList(join(import.meta.dirname, '../../../lab/repositories.yaml'));
  expect(all.length).toBeGreaterThanOrEqual(40);
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  for (const language of ['python', 'javascript', 'go', 'rust']) {
    const own = all.filter((each) => each.language === language);
    const heldOut = own.filter(({ half }) => half === 'held_out').length;
    expect(Math.abs(own.length - 2 * heldOut), language).toBeLessThanOrEqual(1);
  }
});

test('a repository is tried with what init proposes for it, and its cost is told beside its suite', async () => {
  const sum = (sign: string): string => `exports.sum = (a, b) => a ${sign} b;\n`;
  const head = "const { test } = require('node:test');\nconst assert = require('node:assert');\n";
  const repository = createTestRepository({
    'package.json': '{"name":"sum","scripts":{"test":"node --test"}}\n',
    'sum.js': sum('- -'),
    'test/sum.test.js': `${head}test('adds', () => assert.equal(require('../sum.js').sum(1, 2), 3));\n`,
  });
  repository.commit({ 'sum.js': sum('+') });
  const mirror = createTemporaryFolder();
  mkdirSync(join(mirror, 'acme+sum'));
  execFileSync('git', ['clone', '--quiet', '--bare', repository.dir, join(mirror, 'acme+sum/repo')]);
  const replay = await replayListedRepository(
    { name: 'acme/sum', language: 'javascript', half: 'look', monorepo: false },
    { commits: 1, mirror },
  );
  expect(replay).toMatchObject({ isUsable: true, commits: [{ verdict: 'pass', cause: '' }] });
  expect(replay.commits[0]?.suiteCpuMs).toBeGreaterThan(0);
  const report = renderRepositoryReplays([replay]);
  expect(report).toContain('| acme/sum | javascript | look | yes | 1 | 0 | 0 | 0 |');
  expect(report).toContain('Usable without editing: 1 of 1.');
}, 120_000);
