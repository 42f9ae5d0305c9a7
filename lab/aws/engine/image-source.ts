import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageRoot } from '../../images/image-root.ts';
import type { RunFiles } from '../machine/run-environment.ts';
import { findBuiltImage } from './built-images.ts';

/** Root file system and program that a container starts from. */
export interface ImageSource extends ImageRoot {
  /** Folder of what the image would add to its base, where none was built; then the root is this machine's. */
  readonly app: string | null;
}

/**
 * Finds what an image of the deployment is here, by its tag, which is the hash of the asset: the image that was built of that
 * asset, else the asset's own files on the root of this machine. Null when there is no such asset.
 */
export function findImageSource(files: RunFiles, image: string): ImageSource | null {
  const hash = image.split(':').at(-1) ?? '';
  const { assembly } = files;
  if (!existsSync(assembly) || !readdirSync(assembly).includes(`asset.${hash}`)) return null;
  const built = findBuiltImage(files, hash);
  if (built !== null) return { ...built, app: null };
  const app = join(assembly, `asset.${hash}`);
  return { app, root: '/', workdir: '/app', ...readDockerfile(join(app, 'Dockerfile')) };
}

/** Reads the part of an image's configuration that its Dockerfile states. */
function readDockerfile(path: string): Pick<ImageRoot, 'environment' | 'entryPoint'> {
  const text = readFileSync(path, 'utf8');
  const [, words = '[]'] = /^ENTRYPOINT (\[.*\])$/m.exec(text) ?? [];
  return {
    environment: [
      'PATH=/usr/local/bin:/usr/bin:/bin',
      ...[...text.matchAll(/^ENV (\w+=\S*)$/gm)].map(([, pair = '']) => pair),
    ],
    entryPoint: JSON.parse(words) as string[],
  };
}
