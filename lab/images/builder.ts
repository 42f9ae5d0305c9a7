import { spawnSync } from 'node:child_process';

/** Returns true if a program is on the path. */
export const hasProgram = (program: string): boolean =>
  spawnSync('sh', ['-c', 'command -v "$0"', program], { stdio: 'ignore' }).status === 0;

/** Program that builds images here: an engine with Docker's command line, or buildah, which needs no daemon. */
export interface ImageBuilder {
  readonly kind: 'engine' | 'buildah';
  /** Name of the program. */
  readonly program: string;
}

/** Programs that take Docker's `build`, `run` and `image` commands, in the order in which they are looked for. */
const ENGINES = ['docker', 'podman', 'finch'] as const;

const answers = (program: string): boolean =>
  spawnSync(program, ['info'], { stdio: 'ignore', timeout: 20_000 }).status === 0;

/** Returns what prevents buildah from building here, or null. */
function buildahProblem(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'buildah needs Linux and root';
  if (!hasProgram('buildah')) return 'buildah is not installed';
  // Root in a container may lack the capability.
  const unshared = spawnSync('unshare', ['--mount', 'true'], { stdio: 'ignore' });
  return unshared.status === 0 ? null : 'buildah may not mount file systems here';
}

/**
 * Finds what builds images: the engine that `CDK_DOCKER` names, else Docker, Podman or Finch with a running engine, else buildah.
 * @returns the builder, or one sentence that says what is missing
 */
export function findImageBuilder(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ImageBuilder | string {
  const named = environment['CDK_DOCKER'];
  if (named?.endsWith('buildah')) {
    const problem = buildahProblem();
    return problem === null
      ? { kind: 'buildah', program: named }
      : `CDK_DOCKER names buildah, but ${problem}.`;
  }
  if (named !== undefined && named !== '')
    return answers(named)
      ? { kind: 'engine', program: named }
      : `CDK_DOCKER names ${named}, but \`${named} info\` fails: start its engine, or unset CDK_DOCKER.`;
  const engine = ENGINES.find((program) => hasProgram(program) && answers(program));
  if (engine !== undefined) return { kind: 'engine', program: engine };
  const problem = buildahProblem();
  return problem === null
    ? { kind: 'buildah', program: 'buildah' }
    : `No image can be built: no engine of ${ENGINES.join(', ')} is running, and ${problem} (Debian: apt-get install buildah debootstrap).`;
}
