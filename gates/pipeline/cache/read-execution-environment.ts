import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  buildCommandEnvironment,
  CERTIFICATE_VARIABLES,
} from '../../../workspace/process/command-environment.ts';
import type { ExecutionEnvironment } from '../../core/execution-environment.ts';
import { computeBuildId } from './build-id.ts';

/** Certificates count by what they are: each box has them in a folder of its own. */
async function byContent(environment: Record<string, string>): Promise<Record<string, string>> {
  const replaced = await Promise.all(
    CERTIFICATE_VARIABLES.flatMap((name) => {
      const file = environment[name];
      return file === undefined ? [] : [readFile(file).then((bytes) => [name, digest(bytes)] as const)];
    }),
  );
  return { ...environment, ...Object.fromEntries(replaced) };
}
const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/**
 * @param prepared key of the prepared environment.
 * @param image names what the tools come from; absent: this machine.
 * @returns null when that is not known. Then nothing may be remembered.
 */
export async function readExecutionEnvironment(
  image?: () => Promise<string | null>,
  prepared: (() => Promise<string>) | null = null,
): Promise<ExecutionEnvironment | null> {
  try {
    const [build, from] = await Promise.all([computeBuildId(), image?.() ?? null]);
    return {
      build,
      node: process.version,
      image: from,
      prepared: (await prepared?.()) ?? null,
      environment: await byContent(buildCommandEnvironment({ home: '', tmp: '' })),
    };
  } catch {
    return null;
  }
}
