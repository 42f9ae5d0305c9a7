import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { Buildah, type ImageConfig } from './buildah.ts';
import type { ImageBuilder } from './builder.ts';

/** An image as a folder of this machine, with what its configuration says of its containers. */
export interface ImageRoot {
  readonly root: string;
  readonly entryPoint: readonly string[];
  /** NAME=VALUE. */
  readonly environment: readonly string[];
  readonly workdir: string;
}

const withConfig = (root: string, { Env, Entrypoint, WorkingDir }: ImageConfig): ImageRoot => ({
  ...{ root, entryPoint: Entrypoint ?? [], environment: Env ?? [], workdir: WorkingDir || '/' },
});

/**
 * Opens the root file system of an image that was built here: buildah mounts it, an engine exports it.
 * @param folder where an engine's export goes
 * @returns null where there is no such image
 */
export function openImageRoot(
  { kind, program }: ImageBuilder,
  reference: string,
  folder: string,
): { readonly image: ImageRoot; close(): void } | null {
  if (kind === 'buildah') {
    const buildah = Buildah.open();
    if (!buildah.hasImage(reference)) return null;
    const { root, release } = buildah.mount(reference);
    return { image: withConfig(root, buildah.config(reference)), close: release };
  }
  const inspected = spawnSync(program, ['image', 'inspect', '--format', '{{json .Config}}', reference], {
    encoding: 'utf8',
  });
  if (inspected.status !== 0) return null;
  const container = execFileSync(program, ['create', reference], { encoding: 'utf8' }).trim();
  mkdirSync(folder, { recursive: true });
  execFileSync('sh', ['-c', '"$0" export "$1" | tar --extract --directory "$2"', program, container, folder]);
  execFileSync(program, ['rm', container], { stdio: 'ignore' });
  return {
    image: withConfig(folder, JSON.parse(inspected.stdout) as ImageConfig),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
