import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpExchange } from '../../../functions/resolve/http-exchange.ts';
import { readLocalRefs } from '../../../functions/resolve/local-git.ts';
import { createRemoteRefsReader } from '../../../functions/resolve/smart-http.ts';
import { resolveRefToCommitId } from '../../../shared/contract/repository/base-ref.ts';
import { createTemporaryFolder, createTestRepository } from '../../support/git-repository.ts';
import { type GitServer, gitServer, serve } from './git-server.ts';

const repository = createTestRepository({ 'a.txt': '1\n' });
const first = repository.git('rev-parse', 'HEAD');
repository.git('tag', '-a', '-m', 'one', 'v1');
repository.git('branch', 'feature/deep');
const second = repository.commit({ 'a.txt': '2\n' });
const name = repository.dir.slice(dirname(repository.dir).length + 1);

const open: GitServer[] = [];
const start = async (server: Promise<GitServer>): Promise<GitServer> => {
  const started = await server;
  open.push(started);
  return started;
};
let modern: GitServer;
beforeAll(async () => {
  const root = dirname(repository.dir);
  modern = await start(gitServer(root));
});
afterAll(async () => {
  await Promise.all(open.map((server) => server.stop()));
});

const ask = createRemoteRefsReader(
  createHttpExchange({
    allowPrivateAddress: true,
    allowPlainHttp: true,
    timeoutMs: 5_000,
    maxBytes: 100_000,
  }),
);
const says = async (url: string, ref = 'main') => resolveRefToCommitId(ref, await ask(url, ref, null));

describe('a repository over HTTP', () => {
  it.each([
    ['main', second],
    ['feature/deep', first],
    ['v1', first],
    ['refs/tags/v1', first],
    ['HEAD', second],
    ['no-such-branch', null],
  ])('says what %s is, as git itself does', async (ref, commit) => {
    expect(await says(`${modern.url}${name}/.git`, ref)).toBe(commit);
    expect(resolveRefToCommitId(ref, await readLocalRefs(repository.url, ref, null))).toBe(commit);
  });

  it('is asked for the refs that may be meant, and no others', async () => {
    const refs = await ask(`${modern.url}${name}/.git/`, 'feature/deep', null);
    expect(refs.map((ref) => ref.name)).toEqual(['refs/heads/feature/deep']);
  });

  it('may be an old one, which lists everything by itself', async () => {
    const server = await start(
      serve((request, response) => {
        delete request.headers['git-protocol'];
        response.setHeader('content-type', 'application/x-git-upload-pack-advertisement');
        const refs = execFileSync('git', [
          'upload-pack',
          '--stateless-rpc',
          '--advertise-refs',
          repository.dir,
        ]);
        response.end(Buffer.concat([Buffer.from('001e# service=git-upload-pack\n0000'), refs]));
      }),
    );
    expect(await says(`${server.url}x.git`, 'v1')).toBe(first);
    expect(await says(`${server.url}x.git`)).toBe(second);
  });

  it('may have ids of SHA-256', async () => {
    const dir = createTemporaryFolder();
    const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' }).trim();
    git('init', '-q', '--object-format=sha256', '-b', 'main');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
    const id = git('rev-parse', 'HEAD');
    expect(id).toHaveLength(64);
    expect(await says(`${modern.url}${dir.slice(dirname(dir).length + 1)}/.git`)).toBe(id);
  });

  it('gets the authorization that was given, and no other header of ours', async () => {
    const seen: unknown[] = [];
    const server = await start(
      serve((request, response) => {
        seen.push(request.headers.authorization);
        response.writeHead(404).end();
      }),
    );
    await expect(ask(`${server.url}x.git`, 'main', 'Basic abc')).rejects.toThrow('answers 404');
    await expect(ask(`${server.url}x.git`, 'main', null)).rejects.toThrow('answers 404');
    expect(seen).toEqual(['Basic abc', undefined]);
  });
});

describe('a server', () => {
  const answering = (listener: Parameters<typeof serve>[0]) => start(serve(listener));
  const ADVERTISEMENT = { 'content-type': 'application/x-git-upload-pack-advertisement' };

  it.each([
    [401, false],
    [403, false],
    [404, false],
    [429, true],
    [500, true],
    [503, true],
  ])('that answers %i is asked again: %s', async (status, transient) => {
    const server = await answering((_request, response) => response.writeHead(status).end());
    await expect(ask(`${server.url}x.git`, 'main', null)).rejects.toMatchObject({
      name: 'RepositoryUnavailableError',
      isTransient: transient,
    });
  });

  it('cannot send the platform elsewhere', async () => {
    const target = await answering((_request, response) =>
      response.writeHead(200, ADVERTISEMENT).end('0000'),
    );
    const server = await answering((_request, response) =>
      response.writeHead(302, { location: `${target.url}x.git/info/refs` }).end(),
    );
    await expect(ask(`${server.url}x.git`, 'main', null)).rejects.toThrow(/redirects to http/);
    expect(target.requests).toEqual([]);
  });

  it.each([
    ['a page', { 'content-type': 'text/html' }, '<html>', 'is not a git repository'],
    ['something else', ADVERTISEMENT, 'zzzz', 'not in the protocol'],
    ['half an answer', ADVERTISEMENT, '0fffabc', 'cut off'],
    ['an error', ADVERTISEMENT, '0012ERR no access\n', 'says: no access'],
    ['an answer without end', ADVERTISEMENT, '0'.repeat(200_000), 'more than 100000 bytes'],
  ])('that answers with %s is told apart', async (_name, headers, body, message) => {
    const server = await answering((_request, response) => response.writeHead(200, headers).end(body));
    await expect(ask(`${server.url}x.git`, 'main', null)).rejects.toThrow(message);
  });

  it.each([
    ['never answers', false],
    ['never ends its answer', true],
  ])('that %s is left after the time limit', async (_name, begins) => {
    const server = await answering((_request, response) => {
      if (begins) response.writeHead(200, ADVERTISEMENT).write('0000');
    });
    const hasty = createRemoteRefsReader(
      createHttpExchange({ allowPrivateAddress: true, allowPlainHttp: true, timeoutMs: 50 }),
    );
    await expect(hasty(`${server.url}x.git`, 'main', null)).rejects.toMatchObject({
      message: expect.stringContaining('took longer'),
      isTransient: true,
    });
  });

  it.each([
    ['by address', (url: string) => url],
    ['by name', (url: string) => url.replace('127.0.0.1', 'localhost')],
  ])('of the own network is never connected to on AWS, %s', async (_name, spelled) => {
    const server = await answering((_request, response) => response.end());
    const guarded = createRemoteRefsReader(
      createHttpExchange({ allowPrivateAddress: false, allowPlainHttp: true }),
    );
    await expect(guarded(`${spelled(server.url)}x.git`, 'main', null)).rejects.toMatchObject({
      message: expect.stringContaining('public address'),
      isTransient: false,
    });
    expect(server.requests).toEqual([]);
  });

  it.each(['ssh://git@example.test/x.git', 'file:///srv/x.git', 'http://example.test/x.git'])(
    'is not asked over anything but https: %s',
    async (url) => {
      await expect(
        createRemoteRefsReader(createHttpExchange({ allowPrivateAddress: true }))(url, 'main', null),
      ).rejects.toThrow('over https');
    },
  );
});

describe('a repository on this machine', () => {
  it('that is not there is unavailable, and says so', async () => {
    await expect(readLocalRefs('file:///no/such/repository', 'main', null)).rejects.toMatchObject({
      name: 'RepositoryUnavailableError',
      isTransient: false,
      message: expect.stringContaining('/no/such/repository'),
    });
  });
});
