import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTemporaryFolder } from '../../test/support/git-repository.ts';
import { median } from './statistics.ts';

const TIME = '/usr/bin/time';

/** Of one process and all that it starts. */
export interface ProcessCost {
  readonly wall_ms: number;
  readonly cpu_ms: number;
  readonly peak_mb: number;
}

/** Runs a program in a folder, and says what it cost. What it answers is handed to `look`; by itself it decides nothing. */
export async function measureProcessCost(
  program: readonly string[],
  cwd: string,
  look: (stdout: string) => void = () => {},
  env: NodeJS.ProcessEnv = process.env,
): Promise<ProcessCost> {
  const report = join(createTemporaryFolder('assay-time-'), 'cost');
  const started = performance.now();
  // A verdict that is not `pass` is an answer, too.
  const { stdout } = await promisify(execFile)(TIME, ['-f', '%U %S %M', '-o', report, ...program], {
    cwd,
    env,
    maxBuffer: 64 * 1_048_576,
  }).catch((error: { readonly stdout?: string }) => ({ stdout: error.stdout ?? '' }));
  const wall = performance.now() - started;
  look(stdout);
  const [user = 0, system = 0, peak = 0] = (readFileSync(report, 'utf8').trim().split('\n').at(-1) ?? '')
    .split(' ')
    .map(Number);
  return { wall_ms: wall, cpu_ms: (user + system) * 1_000, peak_mb: peak / 1_024 };
}

export const medianProcessCost = (costs: readonly ProcessCost[]): ProcessCost => ({
  wall_ms: median(costs.map((each) => each.wall_ms)),
  cpu_ms: median(costs.map((each) => each.cpu_ms)),
  peak_mb: median(costs.map((each) => each.peak_mb)),
});
