import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { killUserProcesses, runProgramAsUser } from '../../../workspace/process/kill-user-processes.ts';
import { runProcess } from '../../../workspace/process/run-process.ts';
import { removeFilesAndIpcOfUser } from '../../../workspace/process/user-leftovers.ts';
import { listUserProcesses } from '../../../workspace/process/user-processes.ts';
import {
  canConfine,
  createTraversableFolder,
  getContainerUsers,
  warnAboutSkippedTests,
} from '../../support/confinement.ts';

warnAboutSkippedTests(13);
const [first, second] = getContainerUsers('gates');
const user = first ?? { uid: -1, gid: -1 };
const other = second ?? user;
const PYTHON = '/usr/bin/python3';

/** Starts a program as the user, in a session of its own, and waits until it says that it is up. */
async function start(...argv: readonly string[]): Promise<void> {
  const [file = '', ...args] = argv;
  const child = spawn(file, args, {
    uid: user.uid,
    gid: user.gid,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  child.unref();
}

describe.skipIf(!canConfine)('when a user is to leave', () => {
  afterEach(() => killUserProcesses(user));

  test.each([
    ['sleeps', ['sh', '-c', 'echo up; exec sleep 1000']],
    [
      'ignores every signal that it can',
      ['bash', '-c', "trap '' TERM INT HUP QUIT STOP TSTP; echo up; while :; do sleep 1; done"],
    ],
    ['forks and ends, again and again', ['perl', '-e', '$|=1; print "up\\n"; while (1) { fork and exit }']],
    ['multiplies', ['perl', '-e', '$|=1; print "up\\n"; for (1..7) { fork } sleep 1000']],
    ['kills everybody else of its own', ['bash', '-c', 'echo up; while :; do kill -9 -1; done 2>/dev/null']],
    ['is stopped', ['bash', '-c', 'echo up; kill -STOP $$']],
  ])('one who %s is ended with all that it has started', async (_, argv) => {
    await start(...argv);
    await killUserProcesses(user);
    expect(listUserProcesses(user.uid)).toEqual([]);
  });

  test.skipIf(!existsSync(PYTHON))(
    'one whose first thread has ended, and who hides its memory, is seen and ended',
    async () => {
      await start(
        PYTHON,
        '-c',
        `import ctypes, threading, time
libc = ctypes.CDLL(None)
libc.prctl(4, 0, 0, 0, 0)
libc.prctl(15, b"x\\nUid:\\t0\\t0")
threading.Thread(target=lambda: (time.sleep(0.1), print("up", flush=True), time.sleep(1000))).start()
libc.pthread_exit(None)`,
      );
      const [pid] = listUserProcesses(user.uid);
      expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^State:\tZ/m);
      await killUserProcesses(user);
      expect(listUserProcesses(user.uid)).toEqual([]);
    },
  );

  test('others stay', async () => {
    const child = spawn('sleep', ['1000'], { uid: other.uid, gid: other.gid, cwd: '/' });
    const ended = once(child, 'exit');
    await start('sh', '-c', 'echo up; exec sleep 1000');
    await killUserProcesses(user);
    expect(listUserProcesses(other.uid)).toEqual([child.pid]);
    await killUserProcesses(other);
    await ended;
  });
});

describe.skipIf(!canConfine)('what a user has left', () => {
  const asThem = (line: string): void => {
    execFileSync('bash', ['-c', line], { uid: user.uid, gid: user.gid, cwd: '/', stdio: 'inherit' });
  };
  const owned = (dir: string): string[] =>
    readdirSync(dir).filter((name) => name.includes(`left-by-${user.uid}`));

  test("in folders that are everybody's is removed, and what is another's stays", async () => {
    const name = `left-by-${user.uid}`;
    for (const dir of ['/tmp', '/dev/shm', '/var/tmp'])
      asThem(
        `mkdir -p ${dir}/${name}/a; touch ${dir}/${name}/a/b ${dir}/-${name}; ln -s / ${dir}/${name}-l; chmod 000 ${dir}/${name}/a`,
      );
    const mine = join('/tmp', `mine-${name}`);
    writeFileSync(mine, '');
    await removeFilesAndIpcOfUser(user);
    expect(['/tmp', '/dev/shm', '/var/tmp'].flatMap(owned)).toEqual([`mine-${name}`]);
    execFileSync('rm', [mine]);
  });

  test('with files of another in it goes where nobody reaches it', async () => {
    const name = `/tmp/left-by-${user.uid}`;
    asThem(`mkdir ${name}; chmod 777 ${name}`);
    execFileSync('bash', ['-c', `mkdir ${name}/theirs; touch ${name}/theirs/x`], {
      uid: other.uid,
      gid: other.gid,
      cwd: '/',
    });
    await removeFilesAndIpcOfUser(user);
    expect(owned('/tmp')).toEqual([]);
    await removeFilesAndIpcOfUser(other);
  });

  test.skipIf(!existsSync('/usr/bin/ipcmk'))(
    "in System V's memory, queues and semaphores is removed",
    async () => {
      asThem('ipcmk -M 100 -p 0666 >/dev/null; ipcmk -Q -p 0666 >/dev/null; ipcmk -S 1 -p 0666 >/dev/null');
      const left = () =>
        ['shm', 'sem', 'msg'].filter((kind) =>
          readFileSync(`/proc/sysvipc/${kind}`, 'utf8').includes(` ${user.uid} `),
        );
      expect(left()).toEqual(['shm', 'sem', 'msg']);
      await removeFilesAndIpcOfUser(user);
      expect(left()).toEqual([]);
    },
  );
});

describe.skipIf(!canConfine)('a command of a user', () => {
  const work = createTraversableFolder();
  const home = join(work, 'home');
  mkdirSync(home);
  chmodSync(home, 0o777);

  test('whose time is over takes everything of that user with it', async () => {
    const result = await runProcess(
      { line: '(setsid env -i sleep 1000 > /dev/null 2>&1 &); sleep 1000' },
      { cwd: home, env: { PATH: '/usr/bin:/bin' }, timeoutMs: 300, graceMs: 50, runAs: user },
    );
    expect(result.end).toBe('timed_out');
    expect(listUserProcesses(user.uid)).toEqual([]);
  });

  test('is asked by name', async () => {
    expect(await runProgramAsUser(user, ['/bin/sh', '-c', 'exit 3'], 1_000)).toBe(3);
    expect(await runProgramAsUser(user, ['/bin/sh', '-c', 'kill -9 $$'], 1_000)).toBeNull();
  });
});
