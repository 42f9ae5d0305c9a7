import { mkdirSync, writeFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SandboxFactory, type SandboxFactoryOptions } from '../../../gates/core/sandbox-factory.ts';
import {
  canConfine,
  createTraversableFolder,
  getContainerUsers,
  warnAboutSkippedTests,
} from '../../support/confinement.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';
import { createPatchFixture } from '../../support/patch-fixture.ts';

warnAboutSkippedTests(5);
const USERS = getContainerUsers('gates').slice(0, 2);

async function makeRooms(users: SandboxFactoryOptions['users']) {
  const patch = await createPatchFixture({ a: 'base\n' }, { a: 'patch\n' });
  const workDir = users ? createTraversableFolder() : createTemporaryFolder();
  await chmod(join(patch.store.dir, '..'), 0o711);
  return { ...patch, workDir, rooms: new SandboxFactory({ ...patch, workDir, users }) };
}
const LIMIT_MS = 60_000;

test('nothing of the patch runs while the base is asked, whoever asks first', async () => {
  const { rooms, base, tree, workDir } = await makeRooms(null);
  const marks = join(workDir, 'marks');
  await mkdir(marks);
  const line = (name: string, bad: string): string =>
    `touch ${marks}/${name}.$$; ls ${marks} | grep -q '^${bad}' && exit 1; for i in 1 2 3 4 5; do sleep 0.01; ls ${marks} | grep -q '^${bad}' && exit 1; done; rm ${marks}/${name}.$$`;
  const run = async (of: string, name: string, bad: string) =>
    (await rooms.createSandbox(of)).run({ line: line(name, bad) }, LIMIT_MS);
  const results = await Promise.all([
    run(tree, 'patch', 'base'),
    run(base, 'base', 'patch'),
    run(tree, 'patch', 'base'),
    run(base, 'base', 'patch'),
    run(tree, 'patch', 'base'),
  ]);
  expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0]);
});

test('a tree that is kept apart is asked alone', async () => {
  const { rooms, tree, workDir } = await makeRooms(null);
  rooms.runExclusively(tree);
  const asked = await rooms.createSandbox(tree);
  expect((await asked.run({ line: `cat a > ${workDir}/out` }, LIMIT_MS)).exitCode).toBe(0);
});

describe.skipIf(!canConfine)('where rooms have users', () => {
  test('each command is somebody else, in folders of its own', async () => {
    const { rooms, tree } = await makeRooms(USERS);
    const line = 'id -u; id -G; stat -c %a . "$HOME" "$TMPDIR"; touch ok "$HOME/ok" "$TMPDIR/ok"; cat a';
    const outputs = [];
    for (let room = 0; room < 2; room++)
      outputs.push((await (await rooms.createSandbox(tree)).run({ line }, LIMIT_MS)).output);
    const of = (uid: number | undefined): string => `${uid}\n${uid}\n700\n700\n700\npatch\n`;
    expect(outputs.sort()).toEqual([of(USERS[0]?.uid), of(USERS[1]?.uid)]);
  });

  test('a room is closed to those who come later, also to who has the same user', async () => {
    const { rooms, tree } = await makeRooms(USERS.slice(0, 1));
    const first = await rooms.createSandbox(tree);
    await first.run({ line: 'chmod 777 . && echo mine > a' }, LIMIT_MS);
    const second = await rooms.createSandbox(tree);
    const { output } = await second.run(
      { line: `echo theirs > ${first.checkoutRoot}/a; ls ${first.checkoutRoot}/..` },
      LIMIT_MS,
    );
    expect(output.match(/Permission denied/g)).toHaveLength(2);
    expect((await first.run({ line: 'cat a' }, LIMIT_MS)).output).toBe('mine\n');
  });

  test('those who have the same user run one after the other', async () => {
    const { rooms, tree, workDir } = await makeRooms(USERS.slice(0, 1));
    mkdirSync(join(workDir, 'marks'));
    await chmod(join(workDir, 'marks'), 0o777);
    const line = `mkdir ${workDir}/marks/x && sleep 0.05 && rmdir ${workDir}/marks/x`;
    const runs = [1, 2, 3].map(async () => (await rooms.createSandbox(tree)).run({ line }, LIMIT_MS));
    expect((await Promise.all(runs)).map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  });

  test('what one leaves for the next in a common folder or in memory does not reach it', async () => {
    const { rooms, tree } = await makeRooms(USERS);
    const name = `left-by-${USERS[0]?.uid}`;
    const left = `/tmp/${name} /dev/shm/${name} /var/tmp/${name}`;
    await (await rooms.createSandbox(tree)).run(
      { line: `touch ${left}; chmod 666 ${left}; ipcmk -M 64 -p 0666` },
      LIMIT_MS,
    );
    const next = await (await rooms.createSandbox(tree)).run(
      { line: `ls ${left}; ipcs -m | grep -c ' 666 '` },
      LIMIT_MS,
    );
    expect(next.output).not.toMatch(/^\//m);
    expect(next.output).toMatch(/^0\n/m);
  });

  test('a list of files is left where no command can put something in its way', async () => {
    const { rooms, tree, workDir } = await makeRooms(USERS);
    const secret = join(workDir, 'secret');
    writeFileSync(secret, 'before', { mode: 0o600 });
    const room = await rooms.createSandbox(tree);
    const planted = await room.run(
      { line: `mkdir ../given; ln -s ${secret} ../given/files; ln -s ${secret} "$TMPDIR/files"` },
      LIMIT_MS,
    );
    expect(planted.output).toContain('Permission denied');
    const list = await room.writePathList(['a', 'dir/b']);
    expect(
      (await room.run({ line: 'cat "$LIST"; cat "$TMPDIR/files"' }, LIMIT_MS, { LIST: list })).output,
    ).toMatch(/^\.\/a\0\.\/dir\/b\0.*Permission denied/s);
  });
});
