import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holding } from './support/holding.ts';
import { PrivateGit } from './support/private-git.ts';
import { agent, PROJECT, Repository, RIGHT, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

let stack: Stack;
let shop: Repository;
let secrets: Repository;
let server: PrivateGit;
beforeAll(async () => {
  shop = new Repository(PROJECT);
  secrets = new Repository({
    'test/hidden.test.js':
      "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { sum } from '../src/sum.js';\ntest('adds', () => assert.equal(sum(2, 3), 5));\n",
  });
  // Both under one owner.
  execFileSync('mkdir', ['-p', join(shop.folder, 'acme')]);
  execFileSync('ln', ['-s', shop.bare, join(shop.folder, 'acme', 'shop.git')]);
  execFileSync('ln', ['-s', secrets.bare, join(shop.folder, 'acme', 'hidden.git')]);
  server = await PrivateGit.start(shop.folder);
  stack = await Stack.start({
    NODE_EXTRA_CA_CERTS: server.certificate,
    ASSAY_GIT_CREDENTIALS: server.secret('acme'),
  });
});
afterAll(async () => {
  await stack.stop();
  await server.stop();
  shop.remove();
  secrets.remove();
});

/** Says every token that it finds in the files of its box, in git, and in the environment of each process that it may look at. */
const SEARCHES = `
  const path = require('node:path');
  const { spawnSync } = require('node:child_process');
  const found = [];
  const look = (name, bytes) => { if (new RegExp('ghs' + '_[0-9a-f]|eC1hY2' + 'Nlc3MtdG9rZW46').test(bytes.toString('latin1'))) found.push(name); };
  for (const entry of fs.readdirSync('../..', { recursive: true, withFileTypes: true }))
    if (entry.isFile()) try { const at = path.join(entry.parentPath, entry.name); look(at, fs.readFileSync(at)); } catch {}
  for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)))
    for (const name of ['environ', 'cmdline']) try { look(pid + ' ' + name, fs.readFileSync('/proc/' + pid + '/' + name)); } catch {}
  look('git', spawnSync('git', ['config', '--list']).stdout);
  const asked = spawnSync('git', ['ls-remote', 'origin'], { env: { ...process.env, GIT_TERMINAL_PROMPT: '0' } });
  if (asked.status === 0 && asked.stdout.length > 0) found.push('origin can be read');
  fs.writeFileSync(process.env.ASSAY_USAGE_FILE, JSON.stringify({ summary: 'found [' + found.join() + ']' }));
`;

describe('a private repository, and hidden tests in another', () => {
  it('are read and delivered to with tokens for one repository each, which nobody finds afterwards', async () => {
    const { id } = await stack.submit({
      title: 'Make sum add',
      repository: server.url('acme/shop.git'),
      adapter: agent(`${SEARCHES} ${writes('src/sum.js', RIGHT)}`),
      hidden_tests: { kind: 'git', repository: server.url('acme/hidden.git') },
    });
    const task = await stack.ended(id);
    expect(task).toMatchObject({ status: 'done', verified: true, branch: `assay/${id}` });
    expect(`${shop.show(`assay/${id}`, 'src/sum.js')}\n`).toBe(RIGHT);
    const [attempt] = await stack.attempts(id);
    expect(attempt?.report?.summary).toBe('found []');
    expect(attempt?.verification?.gates).toContainEqual(
      expect.objectContaining({ name: 'hidden_tests', outcome: 'passed' }),
    );

    const given = server.given.map(({ repositories, permissions }) => [repositories, permissions]);
    expect(given).toEqual(
      expect.arrayContaining([
        [['shop'], { contents: 'read' }],
        [['hidden'], { contents: 'read' }],
      ]),
    );
    // Leave to write is made once, for the delivery.
    expect(given.filter(([, permissions]) => JSON.stringify(permissions) !== '{"contents":"read"}')).toEqual([
      [['shop'], { contents: 'write' }],
    ]);
    expect(server.asked.filter((line) => line.includes('receive-pack'))).toEqual([
      `GET /acme/shop.git/info/refs git-receive-pack 200`,
      `POST /acme/shop.git/git-receive-pack  200`,
    ]);

    const tokens = server.given.map(({ token }) => token);
    await stack.records('tasks');
    expect(holding(stack.dataDir, tokens)).toEqual([]);
    expect(tokens.filter((token) => stack.log.includes(token))).toEqual([]);
    const shown = JSON.stringify([
      await stack.call('GET', `/tasks/${id}`),
      await stack.attempts(id),
      await stack.control('GET', '/events'),
    ]);
    expect(tokens.filter((token) => shown.includes(token))).toEqual([]);
  });

  it('end with what to do where the App is not installed', async () => {
    const { id } = await stack.submit({
      title: 'Make sum add',
      repository: server.url('acme/deep/er.git'),
      adapter: agent(''),
    });
    expect(await stack.ended(id)).toMatchObject({
      status: 'failed',
      failure: {
        code: 'repository_unavailable',
        message: expect.stringContaining('it has an owner and a name'),
      },
    });
  });
});
