import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agent, PROJECT, Repository, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

let stack: Stack;
let repository: Repository;
const folder = mkdtempSync(join(tmpdir(), 'assay-merge-'));
beforeAll(async () => {
  repository = new Repository({ ...PROJECT, 'README.md': 'Sums.\n' });
  stack = await Stack.start();
});
afterAll(async () => {
  await stack.stop();
  repository.remove();
  rmSync(folder, { recursive: true, force: true });
});

const queued = (title: string, code: string, fields: Record<string, unknown> = {}) =>
  stack.submit({
    title,
    repository: repository.url,
    delivery: 'merge_queue',
    adapter: agent(code),
    ...fields,
  });
/** Lets an agent go on when the test says so. */
const waitsFor = (name: string): string =>
  `while (!fs.existsSync(${JSON.stringify(join(folder, name))})) await new Promise((go) => setTimeout(go, 30));`;
const go = (name: string): void => writeFileSync(join(folder, name), '');
const head = (): string => repository.git('-C', repository.bare, 'rev-parse', 'main');

/** What somebody else pushes meanwhile. */
function pushedByAnother(files: Record<string, string>): string {
  const clone = join(folder, 'clone');
  repository.git('clone', '-q', repository.bare, clone);
  for (const [path, text] of Object.entries(files)) writeFileSync(join(clone, path), text);
  repository.git('-C', clone, 'commit', '-q', '-a', '-m', 'Another');
  repository.git('-C', clone, 'push', '-q', 'origin', 'main');
  return head();
}

const STRICT =
  "export const sum = (a, b) => {\n  if (typeof a !== 'number') throw new TypeError('numbers only');\n  return a - b;\n};\n";
const JOIN = "import { sum } from './sum.js';\n\nexport const join = (a, b) => sum(a, b);\n";
const JOIN_NUMBERS =
  "import { sum } from './sum.js';\n\nexport const join = (a, b) => sum(Number(a), Number(b));\n";
const JOIN_TEST =
  "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { join } from '../src/join.js';\n\ntest('joins', () => assert.equal(join('3', '2'), 1));\n";

it('never lets two patches arrive that pass alone and break each other', async () => {
  const start = head();
  const joins = await queued(
    'Take words, too',
    `const strict = fs.readFileSync('src/sum.js', 'utf8').includes('numbers only');
     if (strict) { ${writes('src/join.js', JOIN_NUMBERS)} } else { ${writes('src/join.js', JOIN)} }
     ${writes('test/join.test.js', JOIN_TEST)} ${waitsFor('joins')}`,
  );
  await stack.until(joins.id, 'an agent at work', ({ base_commit, attempt_count }) => {
    return base_commit !== null && attempt_count > 0;
  });
  const strict = await stack.ended((await queued('Numbers only', writes('src/sum.js', STRICT))).id);
  expect(strict).toMatchObject({ status: 'done', delivery: { state: 'delivered' } });
  expect(head()).toBe(strict.delivery?.commit);
  go('joins');
  const done = await stack.ended(joins.id);
  const attempts = await stack.attempts(joins.id);
  expect(
    attempts.map(({ outcome, merge, verdict }) => [outcome, merge?.target_commit ?? null, verdict?.verdict]),
  ).toEqual([
    ['passed', null, 'pass'],
    ['failed', strict.delivery?.commit, 'fail'],
    ['passed', null, 'pass'],
  ]);
  expect(done).toMatchObject({ status: 'done', base_commit: strict.delivery?.commit });
  // What is there is what the last verdict was about, on top of the first, and nothing else ever was.
  expect(head()).toBe(done.delivery?.commit);
  expect(repository.git('-C', repository.bare, 'rev-list', `${start}..main`).split('\n')).toEqual([
    done.delivery?.commit,
    strict.delivery?.commit,
  ]);
  expect(repository.show('main', 'src/join.js')).toBe(JOIN_NUMBERS.trim());
});

it('puts work that goes together on top, and has work that does not merge done again on what is there', async () => {
  const [apart, same] = await Promise.all([
    queued('Say more', `${waitsFor('apart')} ${writes('src/more.js', 'export const more = 1;\n')}`),
    queued(
      'Say it',
      `${waitsFor('same')} fs.writeFileSync('README.md', fs.readFileSync('README.md', 'utf8') + 'It adds.\\n');`,
    ),
  ]);
  for (const { id } of [apart, same])
    await stack.until(id, 'an agent at work', ({ attempt_count }) => attempt_count > 0);
  const outside = pushedByAnother({ 'README.md': 'Sums, and more.\n' });
  go('apart');
  const merged = await stack.ended(apart.id);
  expect(merged).toMatchObject({ status: 'done', base_commit: outside });
  expect((await stack.attempts(apart.id)).map(({ merge }) => merge?.target_commit ?? null)).toEqual([
    null,
    outside,
  ]);
  go('same');
  expect((await stack.ended(same.id)).status).toBe('done');
  const attempts = await stack.attempts(same.id);
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['passed', 'failed', 'passed']);
  expect(attempts[1]?.report?.summary).toContain('in README.md');
  expect(repository.show('main', 'README.md')).toBe('Sums, and more.\nIt adds.');
  expect(repository.show('main', 'src/more.js')).toBe('export const more = 1;');
});

it('refuses what cannot be: onto a commit, or a pull request where nobody takes one', async () => {
  const refused = async (fields: Record<string, unknown>) =>
    (
      await stack.call('POST', '/tasks', {
        title: 'x',
        repository: repository.url,
        adapter: agent(''),
        ...fields,
      })
    ).body['errors'];
  expect(await refused({ delivery: 'merge_queue', base_ref: head() })).toMatchObject([
    { pointer: '/base_ref' },
  ]);
  expect(await refused({ delivery: 'pull_request' })).toMatchObject([{ pointer: '/delivery' }]);
  expect(await refused({ delivery: 'by mail' })).toMatchObject([{ pointer: '/delivery' }]);
});
