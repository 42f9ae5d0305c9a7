import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { killOrphanedProcesses, STACK_ID_VARIABLE } from '../../../local/ecs/orphaned-processes.ts';
import { temporaryDirectory } from '../support/resources.ts';

let directory: ReturnType<typeof temporaryDirectory>;
const children: ChildProcess[] = [];
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  directory.remove();
});

const HAS_PROC = process.platform === 'linux';
if (!HAS_PROC) console.warn('SKIPPED 2 tests of survivors: there is no /proc');

/** A process of a session of its own that heeds no request to end. */
async function daemon(environment: Record<string, string>): Promise<ChildProcess> {
  const source = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')";
  const child = spawn(process.execPath, ['-e', source], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: environment,
  });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

it.skipIf(!HAS_PROC)(
  'ends what carries the mark or lives in the boxes of the folder, and nothing else',
  async () => {
    const scratch = join(directory.path, 'ecs-scratch');
    const ours = await Promise.all([
      daemon({ [STACK_ID_VARIABLE]: 'this' }),
      daemon({ HOME: `${scratch}/box/home` }),
      daemon({ TMPDIR: `${scratch}/box/tmp` }),
    ]);
    const others = await Promise.all([
      daemon({ [STACK_ID_VARIABLE]: 'this-not' }),
      daemon({ HOME: `${scratch}-not/box` }),
      daemon({ PWD: `${scratch}/box`, NOTE: `HOME=${scratch}/box` }),
    ]);
    const gone = Promise.all(ours.map((child) => once(child, 'exit')));
    expect(await killOrphanedProcesses({ stackId: 'this', scratch })).toBe(3);
    await gone;
    for (const child of others) expect(child.exitCode ?? child.signalCode).toBeNull();
    expect(await killOrphanedProcesses({ stackId: 'this', scratch })).toBe(0);
  },
);

it('ends no process whose number was given anew, and none that has ended already', async () => {
  const stat = (state: string, start: number) =>
    `7 (a ) b) ${state} 1 ${Array.from({ length: 17 }, () => 0).join(' ')} ${start} 0`;
  const write = (pid: number, text: string) => {
    mkdirSync(join(directory.path, String(pid)), { recursive: true });
    writeFileSync(join(directory.path, String(pid), 'environ'), `A=1\0${STACK_ID_VARIABLE}=this\0`);
    writeFileSync(join(directory.path, String(pid), 'stat'), text);
  };
  write(7, stat('S', 100));
  write(8, stat('S', 100));
  write(9, stat('Z', 100));
  const killed: number[] = [];
  const ended = await killOrphanedProcesses({
    stackId: 'this',
    scratch: '/nowhere',
    proc: directory.path,
    kill: (pid) => {
      killed.push(pid);
      rmSync(join(directory.path, String(pid)), { recursive: true });
      // The other one ends by itself, and its number goes to somebody else.
      if (pid !== 7) return;
      write(8, stat('S', 200));
      writeFileSync(join(directory.path, '8', 'environ'), 'A=1\0');
    },
  });
  expect(killed).toEqual([7]);
  expect(ended).toBe(2);
});
