import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { commandEnvironment, TRUSTED_FILES } from '../../../workspace/process/environment.ts';
import type { Surroundings } from '../../core/surroundings.ts';
import { buildId } from './build-id.ts';

/** Certificates count by what they are: each box has them in a folder of its own. */
async function byContent(environment: Record<string, string>): Promise<Record<string, string>> {
  const replaced = await Promise.all(
    TRUSTED_FILES.flatMap((name) => {
      const file = environment[name];
      return file === undefined ? [] : [readFile(file).then((bytes) => [name, digest(bytes)] as const)];
    }),
  );
  return { ...environment, ...Object.fromEntries(replaced) };
}
const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/**
 * @param image names what the tools come from; absent: this machine.
 * @returns null when that is not known. Then nothing may be remembered.
 */
export async function surroundingsOf(image?: () => Promise<string | null>): Promise<Surroundings | null> {
  try {
    const [build, from] = await Promise.all([buildId(), image?.() ?? null]);
    return {
      build,
      node: process.version,
      image: from,
      environment: await byContent(commandEnvironment({ home: '', tmp: '' })),
    };
  } catch {
    return null;
  }
}
