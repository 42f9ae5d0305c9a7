import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listBaseImages } from '../../infra/image-lock.ts';
import { Buildah } from './buildah.ts';
import type { ImageBuilder } from './builder.ts';
import { getImageReference, type ImageDefinition } from './image-definitions.ts';
import { runWithLog } from './run-with-log.ts';
import { provideStandIn } from './stand-in-bases.ts';
import { tryToolchain } from './try-toolchain.ts';
import { findUnreachableSource } from './unreachable-source.ts';

/** Origin of base images: their registries, or stand-ins that are made here. */
export type BaseImageSource = 'registry' | 'stand-in';

export interface ImageBuildResult {
  readonly name: string;
  readonly outcome: 'built' | 'failed' | 'skipped';
  /** Reason why there is no image: a base or a mirror cannot be reached, its stand-in cannot be made, or the end of the build's output; null for one that is built. */
  readonly reason: string | null;
  /** Reference of the image in the builder's storage. */
  readonly image: string;
  readonly seconds: number;
  /** Instructions of its Dockerfile. */
  readonly steps: number;
  /** Uncompressed, in bytes; null where there is no image. */
  readonly bytes: number | null;
  /** Milliseconds from the start of a container until its program ends for want of an assignment; null where it was not started. */
  readonly startMs: number | null;
  /** File with the output of the build. */
  readonly log: string;
}

export interface ImageBuildOptions {
  readonly builder: ImageBuilder;
  readonly bases: BaseImageSource;
  /** Folder for logs. */
  readonly logs: string;
  /** True: layers of earlier builds are used again. */
  readonly cached: boolean;
  /** Time in milliseconds since 1970 at which a running build is ended; infinite: never. */
  readonly deadline: number;
}

const INSTRUCTION = /^(?:ADD|ARG|CMD|COPY|ENTRYPOINT|ENV|FROM|RUN|USER|VOLUME|WORKDIR) /gm;

/** Reads the Dockerfile of an image. @returns its text without digests where stand-ins take the place of bases */
function readDockerfile({ folder, dockerfile }: ImageDefinition, bases: BaseImageSource): string {
  const text = readFileSync(join(folder, dockerfile), 'utf8');
  return bases === 'registry' ? text : text.replaceAll(/^(FROM \S+?)@sha256:[0-9a-f]{64}/gm, '$1');
}

/** Builds one image and measures it. A build that fails is a result, not an error. */
export async function buildImage(
  definition: ImageDefinition,
  options: ImageBuildOptions,
): Promise<ImageBuildResult> {
  const { builder, bases, logs, cached, deadline } = options;
  mkdirSync(logs, { recursive: true });
  const text = readDockerfile(definition, bases);
  const image = getImageReference(definition);
  const log = join(logs, `${definition.name}.log`);
  const steps = text.match(INSTRUCTION)?.length ?? 0;
  const end = (
    outcome: ImageBuildResult['outcome'],
    reason: string | null,
    more: Partial<ImageBuildResult> = {},
  ): ImageBuildResult => ({
    ...{ name: definition.name, outcome, reason, image, steps, log },
    ...{ seconds: 0, bytes: null, startMs: null },
    ...more,
  });
  const late = 'the time limit ended before it was built';
  if (bases === 'stand-in' && Date.now() < deadline) {
    const problem = provideBases(text, deadline);
    if (problem !== null) return end('skipped', problem);
  }
  if (Date.now() >= deadline) return end('skipped', late);
  const temporary = mkdtempSync(join(tmpdir(), 'assay-image-'));
  try {
    const file = join(temporary, 'Dockerfile');
    writeFileSync(file, text);
    const args = [
      ...Object.entries(definition.buildArgs).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
      ...['--file', file, '--tag', image, definition.folder],
    ];
    const started = performance.now();
    const code = await runWithLog(
      builder.kind === 'buildah'
        ? Buildah.open().buildCommand('--pull=false', ...(cached ? ['--layers'] : []), ...args)
        : { program: builder.program, args: ['build', ...(cached ? [] : ['--no-cache']), ...args] },
      log,
      deadline,
    );
    const seconds = (performance.now() - started) / 1_000;
    if (code === null) return end('skipped', late, { seconds });
    if (code !== 0) {
      const unreachable = findUnreachableSource(readFileSync(log, 'utf8'));
      return unreachable === null
        ? end('failed', lastLines(log), { seconds })
        : end('skipped', `what it is built of cannot be reached from here: ${unreachable}`, { seconds });
    }
    // The tag is a hash: without this, each change of the source would leave a whole image behind.
    if (builder.kind === 'buildah') Buildah.open().removeSuperseded(image);
    const problem = tryToolchain(builder, definition.name, image);
    if (problem !== null) return end('failed', `its tools do not work: ${problem}`, { seconds });
    return end('built', null, { seconds, ...measure(builder, image) });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** @returns null, or why a base image of the Dockerfile has no stand-in */
function provideBases(dockerfile: string, deadline: number): string | null {
  const buildah = Buildah.open();
  const references = listBaseImages(dockerfile);
  const node = references.find((each) => each.startsWith('node:')) ?? DEFAULT_NODE;
  for (const reference of references) {
    const problem = provideStandIn(buildah, reference, node, deadline);
    if (problem !== null) return problem;
  }
  return null;
}
/** Base of the stand-in for Lambda's image, whose Dockerfile names no other. */
const DEFAULT_NODE = listBaseImages(
  readFileSync(join(import.meta.dirname, '../../containers/agent/Dockerfile'), 'utf8'),
)[0] as string;

const lastLines = (log: string): string =>
  readFileSync(log, 'utf8').trimEnd().split('\n').slice(-6).join('\n');

/** Measures an image: its size, and how long one container of it takes to start its program. */
function measure(builder: ImageBuilder, image: string): Pick<ImageBuildResult, 'bytes' | 'startMs'> {
  if (builder.kind === 'engine') {
    const inspected = spawnSync(builder.program, ['image', 'inspect', '--format', '{{.Size}}', image], {
      encoding: 'utf8',
    });
    const bytes = Number(inspected.stdout.trim());
    return {
      bytes: Number.isFinite(bytes) && bytes > 0 ? bytes : null,
      startMs: time(() =>
        spawnSync(builder.program, ['run', '--rm', image], { stdio: 'ignore', timeout: 60_000 }),
      ),
    };
  }
  const buildah = Buildah.open();
  const { Entrypoint, WorkingDir = '/', Env } = buildah.config(image);
  const mounted = buildah.mount(image);
  try {
    // Lambda's own program starts a handler; the stand-in has none, so the handler's module is loaded in its place.
    const program = Entrypoint?.[0] === 'node' ? Entrypoint : ['node', '-e', 'require("/var/task/index.js")'];
    const start = [mounted.root, '/usr/bin/env', '-i', '-C', WorkingDir, ...(Env ?? []), ...program];
    return {
      bytes: buildah.size(image),
      startMs: time(() => spawnSync('chroot', start, { stdio: 'ignore', timeout: 60_000 })),
    };
  } finally {
    mounted.release();
  }
}

function time(run: () => unknown): number {
  const started = performance.now();
  run();
  return Math.round(performance.now() - started);
}
