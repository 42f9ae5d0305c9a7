import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SKIPPED_EXIT_CODE } from '../../test/checks/check-steps.ts';
import { synthesiseAssembly } from './assembly.ts';
import { type BaseImageSource, buildImage, type ImageBuildResult } from './build-images.ts';
import { findImageBuilder, type ImageBuilder } from './builder.ts';
import { type ImageDefinition, listImageDefinitions } from './image-definitions.ts';
import { listToolchainsInTurn } from './toolchain-in-turn.ts';

const ROOT = join(import.meta.dirname, '../..');
const HELP = `Usage: npm run images -- [options] [<name> ...]

Builds every Dockerfile of the deployment: agent, gates, deliver, and agent and gates on each toolchain. Names choose some
of them: \`npm run images -- agent gates-go\`. Docker, Podman or Finch builds where an engine is running (CDK_DOCKER names
another one), else buildah, which needs no daemon. Prints the size of each image, its steps, how long it took to build,
and how long a container takes to start its program.

Options:
  --assembly <folder>  builds the images of this cloud assembly; default: one that is synthesised for the purpose
  --turn               the images of the deployment, and those of one toolchain, which changes every day: what CI builds
  --bases <source>     registry, or stand-in: made by debootstrap and from toolchains of this machine, with buildah alone;
                       default: registry, or stand-in where buildah builds and the registry cannot be reached
  --cached             uses layers of earlier builds again
  --minutes <number>   time limit: images that are not built by then are skipped, and said
  --logs <folder>      output of the builds; default .cache/images
  --json               prints one JSON object
  --help               this text

Exit codes: 0 all were built, 1 some were not, 2 wrong usage, ${SKIPPED_EXIT_CODE}: nothing here builds images,
or what they are built of cannot be reached.
`;

const REGISTRY = 'https://registry-1.docker.io/v2/';

/** Chooses where bases come from: a builder with an engine pulls them; buildah does where the registry answers. */
export async function chooseBases({ kind }: ImageBuilder): Promise<BaseImageSource> {
  if (kind === 'engine') return 'registry';
  const answer = await fetch(REGISTRY, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
  return answer !== null && (answer.ok || answer.status === 401) ? 'registry' : 'stand-in';
}

const MIB = 1_048_576;
const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

function line({
  name,
  outcome,
  reason,
  bytes,
  steps,
  seconds: took,
  startMs,
  log,
}: ImageBuildResult): string {
  if (outcome === 'skipped') return `SKIPPED the image ${name}: ${reason}`;
  if (outcome === 'failed')
    return `${name}: the build failed after ${Math.round(took)} s (${log}):\n${reason}`;
  const size = bytes === null ? '?' : Math.round(bytes / MIB);
  const start = startMs === null ? '' : `, starts in ${seconds(startMs)} s`;
  return `${name.padEnd(14)}${`${size} MiB`.padStart(9)}${`${steps} steps`.padStart(10)}  built in ${Math.round(took)} s${start}`;
}

/** Names of the images without a toolchain, and of those on the toolchain whose turn it is. */
function namesInTurn(all: readonly ImageDefinition[]): string[] {
  const [toolchain] = listToolchainsInTurn(new Date());
  return all.map(({ name }) => name).filter((name) => !name.includes('-') || name.endsWith(`-${toolchain}`));
}

/** Returns 1 if a build failed, the code of a skipped check if no image could be built here, else 0. */
export function getImagesExitCode(images: readonly Pick<ImageBuildResult, 'outcome'>[]): number {
  if (images.some(({ outcome }) => outcome === 'failed')) return 1;
  return images.length > 0 && images.every(({ outcome }) => outcome === 'skipped') ? SKIPPED_EXIT_CODE : 0;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      assembly: { type: 'string' },
      bases: { type: 'string' },
      turn: { type: 'boolean', default: false },
      cached: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      logs: { type: 'string', default: join(ROOT, '.cache/images') },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const usage = (problem: string): number => {
    process.stderr.write(`error: ${problem}\n`);
    return 2;
  };
  if (values.bases !== undefined && !['registry', 'stand-in'].includes(values.bases))
    return usage('--bases is registry or stand-in');
  const minutes = values.minutes === undefined ? Number.POSITIVE_INFINITY : Number(values.minutes);
  if (!(minutes > 0)) return usage('--minutes is a number over 0');
  const deadline = Date.now() + minutes * 60_000;
  const builder = findImageBuilder();
  if (typeof builder === 'string') {
    process.stdout.write(
      values.json ? `${JSON.stringify({ builder: null, reason: builder })}\n` : `SKIPPED ${builder}\n`,
    );
    return SKIPPED_EXIT_CODE;
  }
  if (values.bases === 'stand-in' && builder.kind === 'engine')
    return usage('stand-ins are made with buildah alone: CDK_DOCKER=buildah');
  const bases = (values.bases as BaseImageSource | undefined) ?? (await chooseBases(builder));
  const temporary = mkdtempSync(join(tmpdir(), 'assay-images-'));
  try {
    const assembly = values.assembly === undefined ? temporary : resolve(values.assembly);
    if (values.assembly === undefined) synthesiseAssembly(assembly);
    const all = listImageDefinitions(assembly);
    const unknown = positionals.filter((name) => !all.some((each) => each.name === name));
    if (unknown.length > 0)
      return usage(
        `no image is called ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}`,
      );
    const say = (text: string): void => void (values.json || process.stdout.write(`${text}\n`));
    say(
      `${builder.program} builds on ${bases === 'registry' ? 'the images of the registries' : 'stand-ins'}`,
    );
    const images: ImageBuildResult[] = [];
    const chosen = values.turn ? namesInTurn(all) : positionals;
    for (const definition of all.filter(({ name }) => chosen.length === 0 || chosen.includes(name))) {
      const result = await buildImage(definition, {
        ...{ builder, bases, cached: values.cached, logs: resolve(values.logs), deadline },
      });
      images.push(result);
      say(line(result));
    }
    if (values.json)
      process.stdout.write(`${JSON.stringify({ builder: builder.program, bases, images }, null, 2)}\n`);
    return getImagesExitCode(images);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

if (import.meta.main) process.exitCode = await main();
