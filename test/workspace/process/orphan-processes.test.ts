import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import {
  countStartedProcesses,
  highestEarlierPid,
  killOrphanProcesses,
} from '../../../workspace/process/orphan-processes.ts';

test.each([
  ['a counter that is far from its end', 500, 100, 32_768, 500],
  ['a counter that may have begun anew', 32_700, 100, 32_768, 0],
  ['so many processes that the counter has gone round', 500, 40_000, 32_768, 0],
  ['ids enough for everybody', 32_700, 40_000, 4_194_304, 32_700],
  ['a system that does not say how many were started', 500, null, 32_768, 0],
  ['a system that does not say where ids end', 500, 100, null, 0],
])('with %s, only ids that cannot be meant are passed over', (_, leader, started, highest, earlier) => {
  expect(highestEarlierPid(leader, started, highest)).toBe(earlier);
});

test.skipIf(process.platform !== 'linux')(
  'a descendant whose id is lower than that of the first one is ended, once the counter may have begun anew',
  async () => {
    const mark = `ASSAY_TEST_MARK=${process.pid}`;
    const before = countStartedProcesses();
    expect(before).toBeGreaterThan(0);
    const child = spawn('sleep', ['86400'], {
      env: { PATH: process.env['PATH'], ASSAY_TEST_MARK: `${process.pid}` },
    });
    const ended = once(child, 'exit');
    const leader = (child.pid ?? 0) + 1;
    expect(killOrphanProcesses('ASSAY_TEST_MARK=other', 0, before)).toBe(0);
    expect(killOrphanProcesses(mark, leader, (before ?? 0) - 10_000_000)).toBe(1);
    expect(await ended).toEqual([null, 'SIGKILL']);
  },
);
