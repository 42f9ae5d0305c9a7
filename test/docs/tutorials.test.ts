import { execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FakeGitHub } from '../support/forge/fake-github.ts';
import { GITHUB_CONTRACT } from '../support/forge/openapi-contract.ts';
import { ScriptedForge } from '../support/forge/scripted-forge.ts';
import { PrivateGit } from '../system/support/private-git.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Block {
  readonly language: string;
  /** `exit N`, `background` or `skip`. */
  readonly mode: string;
  readonly text: string;
}

/** Returns the shell blocks and the outputs of a page, in their order. */
const blocksOf = (page: string): Block[] =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(sh|text)(?: ([^\n]*))?\n(.*?)^```/gms)].map(
    ([, language = '', mode = '', text = '']) => ({ language, mode, text }),
  );

/** Starts a program that keeps running, and resolves when it has printed an address. */
async function startInBackground(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn('bash', ['-c', script], {
    cwd,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    await ended;
  });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the program in the background ended')));
    child.stdout.on('data', (chunk) => /https?:\/\//.test(String(chunk)) && resolve());
  });
}

/** Runs a script, and returns its exit code and all that it printed. */
async function run(
  script: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ status: number | null; output: string }> {
  const child = spawn('bash', ['-c', script], {
    cwd,
    env: { ...process.env, ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, output };
}

const collapse = (text: string): string => text.replaceAll(/ +/g, ' ').trim();

/** What stands in for the world that a page speaks of. */
interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  /** Called with the folder of the page before its first block. */
  readonly prepare?: (home: string) => void;
  /** What a block of the page is run as. */
  readonly replace?: (script: string) => string;
  readonly afterBlock?: () => Promise<void>;
}

/** Runs every shell block of a page in one folder, one after the other, and looks for the output that it shows. */
async function walk(
  page: string,
  { env = {}, prepare, replace, afterBlock }: Surroundings = {},
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'assay-tutorial-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  prepare?.(home);
  let cwd = home;
  let functions = '';
  let output = '';
  for (const { language, mode, text } of blocksOf(page)) {
    if (mode === 'skip') continue;
    if (language === 'text') {
      const lines = output.split('\n').map(collapse);
      for (const shown of text.trim().split('\n').map(collapse))
        expect(
          lines.some((line) => line.startsWith(shown)),
          `${shown}\nin\n${output}`,
        ).toBe(true);
      continue;
    }
    const own = text.replaceAll('~/assay', ROOT);
    const script = replace?.(own) ?? own;
    if (/^assay\(\)/.test(script)) functions = script.split('\n')[0] ?? '';
    if (mode === 'background') {
      await startInBackground(script, cwd, env);
      continue;
    }
    const ran = await run(
      `${functions}\n${script}\nstatus=$?\necho "$PWD" > '${home}/.cwd'\nexit $status`,
      cwd,
      env,
    );
    output = ran.output;
    expect(ran.status, `${text}\n${output}`).toBe(Number(/^exit (\d+)$/.exec(mode)?.[1] ?? 0));
    cwd = readFileSync(join(home, '.cwd'), 'utf8').trim();
    await afterBlock?.();
  }
}

test('every command of the first ten minutes does what the page says', { timeout: 600_000 }, () =>
  walk('docs/tutorials/first-ten-minutes.md'),
);

/** A port that is free now. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

const TUTORIAL_SECRET = 'the secret of the webhook';
const AUTHOR_TOKEN = 'ghp_of_the_author';

test('every command of the tutorial on pull requests does what the page says, with a scripted GitHub', {
  timeout: 600_000,
}, async () => {
  const root = mkdtempSync(join(tmpdir(), 'assay-tutorial-github-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const bare = join(root, 'acme', 'shop.git');
  mkdirSync(bare, { recursive: true });
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', bare, ...args], { encoding: 'utf8' }).trim();
  git('init', '-q', '--bare', '-b', 'main');
  const server = await PrivateGit.start(root);
  server.given.push({ token: AUTHOR_TOKEN, repositories: ['shop'], permissions: { contents: 'write' } });
  const ours = new FakeGitHub((token) => server.given.some((each) => each.token === token));
  const port = await freePort();
  const tell = async (action: string, pull: object, fields: object = {}): Promise<void> => {
    const body = JSON.stringify({
      action,
      repository: { clone_url: server.url('acme/shop.git'), default_branch: 'main' },
      sender: { login: 'you' },
      pull_request: pull,
      ...fields,
    });
    const signature = createHmac('sha256', TUTORIAL_SECRET).update(body).digest('hex');
    const headers = { 'x-github-event': 'pull_request', 'x-hub-signature-256': `sha256=${signature}` };
    const answer = await fetch(`http://127.0.0.1:${port}/webhooks/github`, { method: 'POST', headers, body });
    expect(answer.status, await answer.text()).toBe(200);
  };
  const describePull = (branch: string, fields: object) => {
    const sha = git('rev-parse', branch);
    git('update-ref', 'refs/pull/1/head', sha);
    const repo = { full_name: 'acme/shop' };
    const pull = {
      number: 1,
      ...fields,
      user: { login: 'you', type: 'User' },
      state: 'open',
      updated_at: new Date().toISOString(),
      head: { ref: branch, sha, repo },
      base: { ref: 'main', repo },
    };
    ours.openPulls.set(1, pull);
    return pull;
  };
  let opened: { title: string; sha: string } | null = null;
  const told: Promise<void>[] = [];
  const gitHub = await ScriptedForge.start((asked) => {
    const [, branch] = /^\/repos\/acme\/shop\/commits\/([a-z]+)\/check-runs$/.exec(asked.path) ?? [];
    if (branch !== undefined)
      return ours.script({ ...asked, path: asked.path.replace(branch, git('rev-parse', branch)) });
    if (asked.method !== 'POST' || asked.path !== '/repos/acme/shop/pulls') return ours.script(asked);
    const branches = git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');
    if (!branches.includes(String(asked.body['head']))) return [422, { message: 'Validation Failed' }];
    const pull = describePull(String(asked.body['head']), asked.body);
    opened = { title: String(asked.body['title']), sha: pull.head.sha };
    told.push(tell('opened', pull));
    return [201, pull];
  }, GITHUB_CONTRACT);
  onTestFinished(async () => void (await Promise.all([server.stop(), gitHub.stop()])));
  const app = JSON.parse(server.secret('acme')) as {
    credentials: [{ github_app: { private_key: string; api_url: string } }];
  };
  const { private_key, api_url } = app.credentials[0].github_app;
  await walk('docs/tutorials/verify-pull-requests.md', {
    env: {
      GITHUB_TOKEN: AUTHOR_TOKEN,
      NODE_EXTRA_CA_CERTS: server.certificate,
      GIT_SSL_CAINFO: server.certificate,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'http.extraHeader',
      GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(`you:${AUTHOR_TOKEN}`).toString('base64')}`,
    },
    prepare: (home) => writeFileSync(join(home, 'app.pem'), private_key),
    replace: (script) =>
      script
        .replaceAll('https://github.com/acme', server.url('acme'))
        .replaceAll('https://api.github.com', gitHub.url)
        .replace('installation_id: 815,', `installation_id: 815, api_url: '${api_url}',`)
        .replace('forge: github,', `forge: github, api_url: '${gitHub.url}',`.replaceAll("'", '"'))
        .replaceAll('8420', String(port)),
    // GitHub tells of a push by itself.
    afterBlock: async () => {
      await Promise.all(told.splice(0));
      if (opened === null || git('rev-parse', 'bad') === opened.sha) return;
      const before = opened.sha;
      const pull = describePull('bad', { title: opened.title, body: '' });
      opened = { title: opened.title, sha: pull.head.sha };
      await tell('synchronize', pull, { before });
    },
  });
  // The comment follows the check.
  await expect
    .poll(() => ours.comments.map(({ body }) => body), { timeout: 60_000 })
    .toEqual([expect.stringContaining('**Assay: passed.**')]);
});
