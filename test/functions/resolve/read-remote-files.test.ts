import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitObject, parseGitTree, readGitPack } from '../../../functions/resolve/git-pack.ts';
import { createHttpExchange } from '../../../functions/resolve/http-exchange.ts';
import { sendRequestToLocalGitProcess } from '../../../functions/resolve/local-git.ts';
import { type GitPacket, parseGitPackets } from '../../../functions/resolve/pkt-line.ts';
import { createRemoteFilesReader } from '../../../functions/resolve/read-remote-files.ts';
import { createHttpGitTransport } from '../../../functions/resolve/smart-http.ts';
import { createTemporaryFolder, createTestRepository } from '../../support/git-repository.ts';
import { type GitServer, gitServer, serve } from './git-server.ts';

const CONFIG = '.assay/roles/data/config.yaml';
const repository = createTestRepository({
  'a.txt': 'a\n',
  'assay.yaml': 'version: 1\n',
  'src/b.txt': 'b\n',
  [CONFIG]: 'model: haiku\n',
});
repository.commit({ 'a.txt': 'changed\n' });
const head = repository.git('rev-parse', 'HEAD');
const nameOf = (dir: string) => dir.slice(dirname(dir).length + 1);

const open: GitServer[] = [];
const start = async (server: Promise<GitServer>): Promise<GitServer> => {
  const started = await server;
  open.push(started);
  return started;
};
const limits = { allowPrivateAddress: true, allowPlainHttp: true, timeoutMs: 5_000, maxBytes: 100_000 };
const overHttps = createRemoteFilesReader(createHttpGitTransport(createHttpExchange(limits)));
const local = createRemoteFilesReader(sendRequestToLocalGitProcess);
let server: GitServer;
beforeAll(async () => {
  server = await start(gitServer(dirname(repository.dir), { 'uploadpack.allowFilter': 'true' }));
});
afterAll(() => Promise.all(open.map((each) => each.stop())));

describe('files of a commit', () => {
  const paths = [CONFIG, 'assay.yaml', 'no/such/file', 'src', 'a.txt/b', 'a.txt'];
  const there = {
    [CONFIG]: 'model: haiku\n',
    'assay.yaml': 'version: 1\n',
    'no/such/file': null,
    src: null,
    'a.txt/b': null,
    'a.txt': 'changed\n',
  };

  it('are read over HTTP, folder by folder, and nothing beside them', async () => {
    const url = `${server.url}${nameOf(repository.dir)}/.git`;
    server.requests.length = 0;
    expect(Object.fromEntries(await overHttps(url, head, paths, null))).toEqual(there);
    // The commit with its root, three folders, three files.
    expect(server.requests).toHaveLength(7);
    server.requests.length = 0;
    await overHttps(url, head, ['.github/none', 'none.yaml'], null);
    expect(server.requests).toHaveLength(1);
  });

  it('are read of a repository on this machine', async () => {
    expect(Object.fromEntries(await local(repository.url, head, paths, null))).toEqual(there);
  });

  it('are read where ids are of SHA-256, and a link is no file', async () => {
    const dir = createTemporaryFolder();
    const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' }).trim();
    git('init', '-q', '--object-format=sha256', '-b', 'main');
    execFileSync('sh', ['-c', 'mkdir d && echo x > d/x && ln -s d/x link && ln -s d folder'], { cwd: dir });
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'x');
    const read = await local(`file://${dir}`, git('rev-parse', 'HEAD'), ['d/x', 'link', 'folder/x'], null);
    expect([...read.values()]).toEqual(['x\n', null, null]);
  });

  it.each([
    ['a file', 2.1, '1'],
    ['an answer', 8.5, '0'],
  ])('are said to be too large, where %s is more than is read', async (_name, mebibytes, compression) => {
    const { dir, url, commit, git } = createTestRepository({ 'a.txt': 'a\n' });
    git('config', 'core.compression', compression);
    commit({ 'large.yaml': 'x'.repeat(mebibytes * 1_048_576) });
    const at = git('rev-parse', 'HEAD');
    const large = {
      name: 'FileTooLargeError',
      message: expect.stringMatching(/^large\.yaml of the base is too large/),
    };
    await expect(local(url, at, ['a.txt', 'large.yaml'], null)).rejects.toMatchObject(large);
    const served = await start(gitServer(dirname(dir), { 'uploadpack.allowFilter': 'true' }));
    const remote = `${served.url}${nameOf(dir)}/.git`;
    await expect(overHttps(remote, at, ['large.yaml'], null)).rejects.toMatchObject(large);
    expect(Object.fromEntries(await overHttps(remote, at, ['a.txt'], null))).toEqual({ 'a.txt': 'a\n' });
  });

  it('cannot be read of a server that gives whole commits only, of one that is not there, or of no commit', async () => {
    const whole = await start(gitServer(dirname(repository.dir), { 'uploadpack.allowFilter': 'false' }));
    await expect(
      overHttps(`${whole.url}${nameOf(repository.dir)}/.git`, head, ['a.txt'], null),
    ).rejects.toMatchObject({ name: 'RepositoryUnavailableError', isTransient: false });
    await expect(local('file:///no/such', head, ['a.txt'], null)).rejects.toMatchObject({
      isTransient: false,
    });
    await expect(local('ssh://git@example.test/x', head, ['a.txt'], null)).rejects.toThrow('over https');
    await expect(local(repository.url, 'a'.repeat(40), ['a.txt'], null)).rejects.toMatchObject({
      name: 'RepositoryUnavailableError',
    });
    const blob = repository.git('rev-parse', 'HEAD:a.txt');
    await expect(local(repository.url, blob, ['a.txt'], null)).rejects.toMatchObject({
      name: 'RepositoryUnavailableError',
    });
  });

  it.each([
    ['nothing', Buffer.from('0000')],
    ['no pack', Buffer.from('000dpackfile\n0008\u0001xyz0000')],
    ['an error', Buffer.from('000dpackfile\n0009\u0003full0000')],
  ])('are not believed of a server that answers with %s', async (_name, body) => {
    const strange = await start(
      serve((_request, response) =>
        response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' }).end(body),
      ),
    );
    await expect(overHttps(`${strange.url}x.git`, head, ['a.txt'], null)).rejects.toMatchObject({
      name: 'RepositoryUnavailableError',
      isTransient: false,
    });
  });
});

const packed = (...parts: Buffer[]) => {
  const header = Buffer.from('PACK\0\0\0\u0002\0\0\0\0');
  header.writeUInt32BE(parts.length, 8);
  return Buffer.concat([header, ...parts, Buffer.alloc(20)]);
};
const object = (kind: number, content: string | Buffer) =>
  Buffer.concat([Buffer.from([(kind << 4) | (content.length & 15)]), deflateSync(content)]);

describe('a small answer that unpacks to much', () => {
  const commitOf = (text: string) => {
    const content = `tree ${'a'.repeat(40)}\n\n${text}`;
    const id = createHash('sha1').update(`commit ${content.length}\0${content}`).digest('hex');
    return { id, object: object(1, content) };
  };
  const answerWith = (pack: Buffer): GitPacket[] => {
    const packets: GitPacket[] = [{ text: 'packfile', bytes: Buffer.from('packfile\n') }];
    for (let at = 0; at < pack.length; at += 65_000) {
      const bytes = Buffer.concat([Buffer.from([1]), pack.subarray(at, at + 65_000)]);
      packets.push({ text: '', bytes });
    }
    return packets;
  };
  const { id, object: wanted } = commitOf('wanted');
  const bomb = object(3, Buffer.alloc(2_000_000));

  it('is not unpacked behind what was asked for, nor beyond a limit before it', async () => {
    const after = answerWith(packed(wanted, ...Array.from({ length: 50 }, () => bomb)));
    const before = answerWith(packed(...Array.from({ length: 500 }, () => bomb), wanted));
    for (const answer of [after, before]) {
      expect(
        answer.reduce((sum, each) => sum + (typeof each === 'string' ? 0 : each.bytes.length), 0),
      ).toBeLessThan(2_000_000);
      const most = process.memoryUsage().rss + 100_000_000;
      await expect(
        createRemoteFilesReader(async () => answer)('https://x', id, ['a'], null),
      ).rejects.toMatchObject({
        name: 'RepositoryUnavailableError',
        isTransient: false,
      });
      expect(process.memoryUsage().rss).toBeLessThan(most);
    }
  });

  it('has a limited number of packets', () => {
    expect(() => parseGitPackets(Buffer.from('0005x'.repeat(200_000)))).toThrow('more than 131072 packets');
  });
});

describe('a pack', () => {
  const LIMITS = { maxObjectBytes: 100, maxTotalBytes: 250, maxObjects: 4 };
  const read = async (pack: Buffer): Promise<GitObject[]> => {
    const found: GitObject[] = [];
    for await (const each of readGitPack(pack, 'sha1', LIMITS)) found.push(each);
    return found;
  };

  it('names its objects by what they hold', async () => {
    const found = await read(packed(object(3, 'x\n'), object(3, 'y\n')));
    expect(found.map(({ id }) => id)).toEqual([
      '587be6b4c3f93f93c489c0111bba5596147a26cb',
      '975fbec8256d3e8a3797e7a3611380f27c49f4ac',
    ]);
  });

  it.each([
    ['is told as a difference', packed(object(7, 'x')), 'difference'],
    ['is larger than allowed', packed(object(3, 'x'.repeat(200))), 'more than 100 bytes'],
    ['is one of too many', packed(...Array.from({ length: 5 }, () => object(3, 'x'))), 'sent 5 objects'],
    [
      'is too large with the others',
      packed(...Array.from({ length: 3 }, () => object(3, 'x'.repeat(90)))),
      'more than 250',
    ],
    ['is cut off', packed(object(3, 'x'.repeat(50))).subarray(0, 18), 'unexpected end'],
    ['is not compressed', packed(Buffer.from([0x31, 1, 2, 3])), 'incorrect header'],
  ])('of which an object %s is refused', async (_name, pack, message) => {
    await expect(read(pack)).rejects.toThrow(message);
  });

  it('is unpacked up to the object that is wanted', async () => {
    const rest = packed(object(3, 'x'), Buffer.from([0x31, 1, 2, 3]));
    for await (const { content } of readGitPack(rest, 'sha1', LIMITS)) {
      expect(content.toString()).toBe('x');
      break;
    }
  });

  it('has folders that end where they say', () => {
    expect(() => parseGitTree(Buffer.from('100644 a\0short'), 'sha1')).toThrow('cut off');
    expect(() => parseGitTree(Buffer.from('100644'), 'sha1')).toThrow('cut off');
  });
});
