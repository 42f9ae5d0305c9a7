import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agent, PROJECT, Repository, RIGHT, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

const MARK = 'kept-back-4711';
const HEAD =
  "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { sum } from '../src/sum.js';\n";
const HIDDEN_FILE = {
  path: `test/${MARK}.test.js`,
  content: `${HEAD}test('${MARK}: adds two numbers', () => assert.equal(sum(2, 3), 5));\ntest('${MARK}: adds nothing', () => assert.equal(sum(4, 0), 4));\n`,
};
/** A test of the patch that fails with whatever git objects of its sandbox, or files around it, hold of the hidden tests. */
const STEALING_TEST = `import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { sum } from '../src/sum.js';
test('adds', () => {
  assert.equal(sum(3, 0), 3);
  const objects = spawnSync('git', ['cat-file', '--batch-all-objects', '--batch'], { encoding: 'utf8' }).stdout;
  const files = spawnSync('grep', ['-rash', 'kept-' + 'back', '../..'], { encoding: 'utf8' }).stdout;
  for (const text of [objects, files]) {
    const at = text.indexOf('kept-' + 'back');
    assert.equal(at < 0 ? '' : text.slice(at, at + 300), '');
  }
});
`;
/** Passes the test that everybody sees: `sum(2, 0)`. */
const LEARNT = 'export const sum = (a, b) => a;\n';

/**
 * Looks for the hidden tests wherever it can: every file of its box, all that git has there, its environment and that of every process
 * whose it may read. What it finds, it says in its summary.
 */
const SEARCHES = `
  const path = require('node:path');
  const { spawnSync } = require('node:child_process');
  const found = [];
  let looked = 0;
  const look = (name, bytes) => { looked++; if (bytes.includes('kept-' + 'back') || bytes.includes('4' + '711')) found.push(name + ': ' + bytes.toString('utf8')); };
  for (const entry of fs.readdirSync('../..', { recursive: true, withFileTypes: true })) {
    const at = path.join(entry.parentPath, entry.name);
    look('name', Buffer.from(at));
    if (entry.isFile()) try { look(at, fs.readFileSync(at)); } catch {}
  }
  look('git', spawnSync('git', ['cat-file', '--batch-all-objects', '--batch']).stdout);
  look('refs', spawnSync('git', ['ls-remote', 'origin']).stdout ?? Buffer.alloc(0));
  look('environment', Buffer.from(JSON.stringify(process.env)));
  const prompt = fs.readFileSync(process.argv[2]);
  look('prompt', prompt);
  fs.writeFileSync('prompt.txt', prompt);
  fs.writeFileSync(process.env.ASSAY_USAGE_FILE, JSON.stringify({ usage: { input_tokens: 1, output_tokens: 1 }, summary: looked > 20 ? 'looked; found [' + found.join() + ']' : 'looked nowhere' }));
`;

let stack: Stack;
let repository: Repository;
beforeAll(async () => {
  repository = new Repository(PROJECT);
  stack = await Stack.start();
});
afterAll(async () => {
  await stack.stop();
  repository.remove();
});

/** Files of the stack that hold the mark, under any name. */
const holding = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path.includes(MARK) || readFileSync(path).includes(MARK))
    .map((path) => relative(folder, path));

describe('hidden tests', () => {
  it('fail what was learnt by heart, and are in nothing that an agent can reach', async () => {
    const solves = agent(
      `${SEARCHES} if (model.includes('haiku')) { ${writes('src/sum.js', LEARNT)} ${writes('test/steal.test.js', STEALING_TEST)} } else { ${writes('src/sum.js', RIGHT)} }`,
    );
    const request = {
      title: 'Make sum add',
      repository: repository.url,
      adapter: { ...solves, argv: [...solves.argv, '{prompt_file}'] },
      hidden_tests: { kind: 'files', files: [HIDDEN_FILE] },
    };
    const submitted = await stack.submit(request);
    const { id } = submitted;
    const task = await stack.ended(id);
    const attempts = await stack.attempts(id);
    expect(attempts.map(({ tier, outcome, report }) => [tier, outcome, report?.summary])).toEqual([
      ['haiku', 'failed', 'looked; found []'],
      ['sonnet', 'passed', 'looked; found []'],
    ]);
    expect(
      attempts.map(({ verification }) => verification?.gates.map(({ name, outcome }) => [name, outcome])),
    ).toEqual([
      expect.arrayContaining([
        ['tests', 'passed'],
        ['hidden_tests', 'failed'],
      ]),
      expect.arrayContaining([
        ['tests', 'passed'],
        ['hidden_tests', 'passed'],
      ]),
    ]);
    expect(attempts[0]?.verdict?.reasons.map(({ message }) => message)).toEqual([
      'gate hidden_tests: hidden tests: 1 of 2 fail',
    ]);
    expect(task).toMatchObject({ status: 'done', verdict: 'pass', branch: `assay/${id}` });
    const prompt = repository.show(`assay/${id}`, 'prompt.txt');
    expect(prompt).toContain('hidden tests: 1 of 2 fail');
    expect(
      repository.git('-C', repository.bare, 'ls-tree', '-r', '--name-only', `assay/${id}`),
    ).not.toContain(MARK);
    const list = await stack.call('GET', '/tasks');
    const records = await Promise.all(
      ['tasks', 'quality_gates', 'cascade_chains'].map((name) => stack.records(name)),
    );
    expect(records.flat().length).toBeGreaterThan(3);
    for (const told of [prompt, JSON.stringify([submitted, task, attempts, list.body, records])])
      expect(told).not.toContain(MARK);
    const files = holding(stack.dataDir);
    expect(files).not.toEqual([]);
    expect(files.filter((path) => !path.includes('hidden'))).toEqual([]);
  });
});
