import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder, createTestRepository } from '../support/git-repository.ts';
import { assay } from './support.ts';

const HEAD =
  "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { price } = require('../price.js');\n";
const PLANTED = 'planted-4711';
const TESTS = `${HEAD}// ${PLANTED}
test('seven', () => assert.equal(price(7), 14));
test('eight', () => assert.equal(price(8), 16));
test('nine', () => assert.equal(price(9), 18));
`;
const ANSWER = {
  p_wrong: 0.9,
  counterexamples: [
    {
      kind: 'requirement',
      requirement: 'price is doubled',
      file: 'price.js',
      line: 1,
      folder: 'one',
      command: 'node --test test/challenge.test.js',
      test: 'seven',
      input: 'price(7)',
      neighbours: ['eight', 'nine'],
      why: 'only 2 is doubled',
    },
  ],
};
/** An agent CLI as a script: it hands in its answer if it finds its prompt on standard input. */
const AGENT = `
const fs = require('node:fs');
const prompt = fs.readFileSync(0, 'utf8');
if (!prompt.includes('Double the price')) process.exit(1);
fs.mkdirSync('one/test', { recursive: true });
fs.writeFileSync('one/test/challenge.test.js', ${JSON.stringify(TESTS)});
fs.writeFileSync('challenge.json', JSON.stringify(${JSON.stringify(ANSWER)}));
`;

function setUp(code: string, afterAgent = '') {
  const repository = createTestRepository({
    'assay.yaml': 'version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: node --test\n',
    'package.json': '{"private":true}\n',
    'price.js': 'exports.price = (n) => n;\n',
    'test/price.test.js': `${HEAD}test('none', () => assert.equal(price(0), 0));\n`,
  });
  repository.write({ 'price.js': code });
  const folder = createTemporaryFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'task.yaml'), 'title: Double the price\ndescription: price(n) is n twice.\n');
  writeFileSync(join(folder, 'agent.cjs'), AGENT);
  const agent = `"${process.execPath}" "${join(folder, 'agent.cjs')}"${afterAgent}`;
  return (command = agent, ...more: string[]) =>
    assay(
      [
        ...['check', '--repo', repository.dir, '--base', 'main', '--task', join(folder, 'task.yaml')],
        ...['--challenge', command, '--format', 'json', ...more],
      ],
      { cwd: folder },
    );
}

describe('assay check --challenge', () => {
  it('fails a patch with a counterexample that code has repeated, and shows one input of it', async () => {
    const check = setUp('exports.price = (n) => (n === 2 ? 4 : n);\n');
    const { code, stdout } = await check();
    expect(code).toBe(1);
    const [entry] = JSON.parse(stdout).gates;
    expect(entry).toMatchObject({ name: 'challenge', outcome: 'failed', kind: 'executed' });
    expect(stdout).toContain('price is doubled: wrong for price(7)');
    expect(stdout).not.toContain(PLANTED);
    expect((await check(undefined, '--exam-mode', 'advise')).code).toBe(0);
  });

  it('finds nothing against right work, and needs review where the challenger gives no answer', async () => {
    const check = setUp('exports.price = (n) => n * 2;\n');
    const right = await check();
    expect(JSON.parse(right.stdout)).toMatchObject({
      // The probability alone never fails a patch.
      verdict: 'refer',
      gates: expect.arrayContaining([
        expect.objectContaining({ name: 'challenge', outcome: 'skipped', kind: 'judged' }),
      ]),
    });
    const silent = await check('true');
    expect(JSON.parse(silent.stdout)).toMatchObject({ verdict: 'refer' });
    expect(silent.stdout).toContain('no answer');
  });

  it('takes no finding of a challenger that did not finish, but a counterexample that holds', async () => {
    const right = await setUp('exports.price = (n) => n * 2;\n', ' && exit 1')();
    expect(JSON.parse(right.stdout).gates).toContainEqual(
      expect.objectContaining({
        ...{ name: 'challenge', outcome: 'could_not_run' },
        detail: expect.stringContaining('exited with code 1'),
      }),
    );
    expect((await setUp('exports.price = (n) => (n === 2 ? 4 : n);\n', ' && exit 1')()).code).toBe(1);
  });

  it('needs a task', async () => {
    const { code } = await assay(['check', '--challenge', 'true'], { cwd: createTemporaryFolder() });
    expect(code).toBe(2);
  });
});
