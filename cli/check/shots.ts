import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { TakenShot } from '../../gates/core/gate.ts';
import { CliError, EXIT } from '../exit.ts';

/** Writes each picture as `<name>.png`. What is there is replaced. @throws CliError where the folder cannot be written. */
export async function writeShots(cwd: string, folder: string, shots: readonly TakenShot[]): Promise<void> {
  const place = resolve(cwd, folder);
  try {
    await mkdir(place, { recursive: true });
    for (const { shot, png } of shots) await writeFile(join(place, `${shot.name}.png`), png);
  } catch (error) {
    throw new CliError(
      EXIT.usage,
      'unwritable',
      `screenshots could not be written to ${folder}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
