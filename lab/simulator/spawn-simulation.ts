import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SimulationRunsResult } from './simulate.ts';
import { sumRecords } from './simulation-record.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

/** Runs the simulation in a process of its own, because it takes time and chance away from the whole process. */
export function spawnSimulation(args: readonly string[]): Promise<SimulationRunsResult> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [MAIN, '--json', ...args],
      { maxBuffer: 256 * 1_048_576 },
      (_failed, output, errors) => {
        try {
          resolve(JSON.parse(output) as SimulationRunsResult);
        } catch {
          reject(new Error(`the simulation ended without a result: ${errors}${output.slice(0, 2_000)}`));
        }
      },
    );
  });
}

/** The runs of a seed, dealt out among processes. A run is the same in whichever it happens. */
export async function spawnSimulations(
  { runs, seed, processes }: { readonly runs: number; readonly seed: number; readonly processes: number },
  args: readonly string[] = [],
): Promise<SimulationRunsResult> {
  const each = Math.ceil(runs / processes);
  const results = await Promise.all(
    Array.from({ length: processes }, (_, index) => {
      const from = index * each;
      const own = Math.max(0, Math.min(each, runs - from));
      return spawnSimulation(['--seed', `${seed}`, '--from', `${from}`, '--runs', `${own}`, ...args]);
    }),
  );
  return {
    record: sumRecords(results.map(({ record }) => record)),
    broken: results.flatMap(({ broken }) => broken),
  };
}
