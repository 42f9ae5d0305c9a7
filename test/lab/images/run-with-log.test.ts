import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runWithLog } from '../../../lab/images/run-with-log.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';

const never = Number.POSITIVE_INFINITY;

it('returns the exit code, with both outputs in the log', async () => {
  const log = join(createTemporaryFolder(), 'log');
  const args = ['-c', 'echo out; echo err >&2; exit 3'];
  expect(await runWithLog({ program: 'sh', args }, log, never)).toBe(3);
  expect(readFileSync(log, 'utf8').split('\n').sort()).toEqual(['', 'err', 'out']);
});

it('ends the command at the deadline, with the processes that it has started', async () => {
  const log = join(createTemporaryFolder(), 'log');
  const args = ['-c', 'sleep 600 & echo $!; wait'];
  // The output closes only when the inner process has ended, too.
  expect(await runWithLog({ program: 'sh', args }, log, Date.now() + 300)).toBeNull();
  expect(readFileSync(log, 'utf8')).toMatch(/^\d+\n$/);
});

it('says so where the program is not there', async () => {
  const log = join(createTemporaryFolder(), 'log');
  expect(await runWithLog({ program: 'no-such-builder', args: [] }, log, never)).not.toBe(0);
});
