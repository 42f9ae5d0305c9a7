import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Result } from './simulate.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

/** Runs the simulation in a process of its own, because it takes time and chance away from the whole process. */
export function simulation(args: readonly string[]): Promise<Result> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [MAIN, '--json', ...args],
      { maxBuffer: 256 * 1_048_576 },
      (_failed, output, errors) => {
        try {
          resolve(JSON.parse(output) as Result);
        } catch {
          reject(new Error(`the simulation ended without a result: ${errors}${output.slice(0, 2_000)}`));
        }
      },
    );
  });
}
