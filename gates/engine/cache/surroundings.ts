import { commandEnvironment } from '../../process/environment.ts';
import { buildId } from './build-id.ts';

/** What everything that runs here depends on, whatever it is: our own code, the tools of the machine, the environment of commands. */
export interface Surroundings {
  readonly build: string;
  readonly node: string;
  /** Of the container; null where there is none. */
  readonly image: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

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
      environment: commandEnvironment({ home: '', tmp: '' }),
    };
  } catch {
    return null;
  }
}
