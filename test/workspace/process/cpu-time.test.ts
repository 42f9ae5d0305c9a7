import { expect, test } from 'vitest';
import { readEndedChildrenCpuMs, readThreadCpuMs } from '../../../workspace/process/cpu-time.ts';
import { runProcess } from '../../../workspace/process/run-process.ts';

test('own CPU time goes on with work, not with waiting', async () => {
  const before = readThreadCpuMs();
  await new Promise((resume) => setImmediate(resume));
  const between = readThreadCpuMs();
  for (let at = 0, sum = 0; readThreadCpuMs() - between < 20; at++) sum += Math.sqrt(at);
  expect(between - before).toBeLessThan(20);
  expect(readThreadCpuMs() - between).toBeGreaterThanOrEqual(20);
});

test.skipIf(readEndedChildrenCpuMs() === null)(
  'a command tells the CPU time of all that it waited for',
  async () => {
    const busy = 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done';
    const { cpuMs, end } = await runProcess(
      { line: `bash -c '${busy}'` },
      { cwd: '/', env: { PATH: process.env['PATH'] ?? '' }, timeoutMs: 60_000 },
    );
    expect(end).toBe('exited');
    expect(cpuMs).toBeGreaterThan(10);
  },
);
