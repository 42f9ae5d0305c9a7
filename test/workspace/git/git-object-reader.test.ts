import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeBlob } from '../../../workspace/git/edit-tree.ts';
import { DISCARDING_GIT_OBJECT_SINK, readObjects } from '../../../workspace/git/git-object-reader.ts';
import { createGitStore, type GitStore } from '../../../workspace/git/git-store.ts';
import { readBlobs } from '../../../workspace/git/read-blobs.ts';
import { readBlobSizes, streamBlobs } from '../../../workspace/git/stream-blobs.ts';
import { listFolder, readFileOfTree } from '../../../workspace/git/tree-folder.ts';
import { readThreadCpuMs } from '../../../workspace/process/cpu-time.ts';
import { killAllProcessGroups } from '../../../workspace/process/process-groups.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';
import { createPatchFixture } from '../../support/patch-fixture.ts';

const NOWHERE = 'a'.repeat(40);

describe('objects that are asked for one after the other', () => {
  let store: GitStore;
  beforeAll(async () => {
    store = await createGitStore(join(createTemporaryFolder(), 'store.git'));
  });

  test('come whole, however they are cut, empty ones and ones of many pieces among them', async () => {
    const contents = [Buffer.alloc(0), Buffer.from('\n'), randomBytes(300_000), Buffer.from('a blob 3\nxyz')];
    const ids: string[] = [];
    for (const content of contents) ids.push(writeBlob(store, content));
    const blobs = await readBlobs(store, ids);
    expect(ids.map((id) => blobs.get(id))).toEqual(contents);
    expect([...(await readBlobSizes(store, ids)).values()]).toEqual(contents.map(({ length }) => length));
  });

  test('answers do not get mixed up when everybody asks at once', async () => {
    const contents = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(index * 1_000));
    const ids = await Promise.all(contents.map((content) => writeBlob(store, content)));
    const answers = await Promise.all(ids.map((id) => readBlobs(store, [id])));
    expect(answers.map((blobs, index) => blobs.get(ids[index] ?? '')?.toString())).toEqual(contents);
  });

  test('what came into the store after the first question is found', async () => {
    await expect(readBlobs(store, [NOWHERE])).rejects.toThrow(`git has no blob ${NOWHERE}`);
    const late = writeBlob(store, 'late');
    expect((await readBlobs(store, [late])).get(late)?.toString()).toBe('late');
  });

  test('a limit holds, and who asks next is answered', async () => {
    const [large, small] = [writeBlob(store, randomBytes(2_000_000)), writeBlob(store, 'small')] as const;
    const [refused, answered] = await Promise.allSettled([
      readBlobs(store, [large], 1_000_000),
      readBlobs(store, [small]),
    ]);
    expect(refused).toMatchObject({ reason: { message: 'the files are too large to be read' } });
    expect(answered).toMatchObject({ value: new Map([[small, Buffer.from('small')]]) });
  });

  test('a process that is killed in between fails nobody', async () => {
    const id = writeBlob(store, 'still here');
    expect(await readBlobSizes(store, [id])).toEqual(new Map([[id, 10]]));
    killAllProcessGroups();
    expect(await readBlobSizes(store, [id])).toEqual(new Map([[id, 10]]));
  });

  test('a store that is none says so', async () => {
    const none: GitStore = { dir: createTemporaryFolder(), format: 'sha1' };
    await expect(readBlobs(none, [NOWHERE])).rejects.toThrow('not a git repository');
    const nowhere: GitStore = { dir: '/nonexistent/store.git', format: 'sha1' };
    await expect(readBlobs(nowhere, [NOWHERE])).rejects.toThrow('git could not be started');
  });

  test('an error of the one who asks is his own', async () => {
    const id = writeBlob(store, 'x');
    const asked = readObjects(store, '--batch', [id], () => {
      throw new RangeError('mine');
    });
    await expect(asked).rejects.toThrow(RangeError);
    await readObjects(store, '--batch', [id], ({ size }) => {
      expect(size).toBe(1);
      return DISCARDING_GIT_OBJECT_SINK;
    });
  });

  test.each([
    ['few', 1_000],
    ['many', 3_000_000],
  ])('%s bytes come in the order in which they were asked for', async (_, bytes) => {
    const ids: string[] = [];
    for (const letter of 'abc') ids.push(writeBlob(store, letter.repeat(bytes)));
    const order = [...ids, ids[0] ?? ''];
    const seen: string[] = [];
    const inTime = await streamBlobs(
      store,
      order,
      (id) => {
        let length = 0;
        return {
          write: (piece) => {
            length += piece.length;
          },
          end: () => void seen.push(`${id} ${length}`),
        };
      },
      Number.POSITIVE_INFINITY,
    );
    expect(inTime).toBe(true);
    expect(seen).toEqual(order.map((id) => `${id} ${bytes}`));
  });

  test.each([1_000, 3_000_000])('of files of %i bytes none is read when the time is over', async (bytes) => {
    const id = writeBlob(store, 'z'.repeat(bytes));
    const other = writeBlob(store, 'y'.repeat(bytes));
    expect(await streamBlobs(store, [id, other], () => DISCARDING_GIT_OBJECT_SINK, readThreadCpuMs())).toBe(
      false,
    );
  });
});

describe('a folder of a commit', () => {
  const base = { 'a.txt': 'a', 'dir/b.txt': 'b', 'dir/deep/c.txt': 'c', 'with space\n/d': 'd' };

  test('is listed with paths from the top, and what is in deeper ones is not', async () => {
    const { store, base: commit } = await createPatchFixture(base, {});
    const pathsIn = async (folder: string) =>
      (await listFolder(store, commit, folder)).map(({ path }) => path);
    expect(await pathsIn('')).toEqual(['a.txt', 'dir', 'with space\n']);
    expect(await pathsIn('dir')).toEqual(['dir/b.txt', 'dir/deep']);
    expect(await pathsIn('dir/deep')).toEqual(['dir/deep/c.txt']);
    expect(await pathsIn('with space\n')).toEqual(['with space\n/d']);
    expect(await pathsIn('a.txt')).toEqual([]);
    expect(await pathsIn('nowhere/at/all')).toEqual([]);
    await expect(listFolder(store, NOWHERE, '')).rejects.toThrow('git has no tree');
  });

  test('gives a file with its contents, says when a path is no file, and null where there is none', async () => {
    const { store, base: commit } = await createPatchFixture(base, {});
    expect(await readFileOfTree(store, commit, 'dir/deep/c.txt', 10)).toEqual({
      content: Buffer.from('c'),
      regular: true,
    });
    expect(await readFileOfTree(store, commit, 'dir', 10)).toMatchObject({ regular: false });
    expect(await readFileOfTree(store, commit, 'dir/x', 10)).toBeNull();
    await expect(readFileOfTree(store, commit, 'a.txt', 0)).rejects.toThrow('too large');
  });
});
