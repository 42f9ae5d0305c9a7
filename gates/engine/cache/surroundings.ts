import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { commandEnvironment, TRUSTED_FILES } from '../../process/environment.ts';
import { buildId } from './build-id.ts';

/** What everything that runs here depends on, whatever it is: our own code, the tools of the machine, the environment of commands. */
export interface Surroundings {
  readonly build: string;
  readonly node: string;
  /** Of the container; null where there is none. */
  readonly image: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

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
