import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunFiles } from '../machine/run-environment.ts';

/**
 * What an image adds to its base, as a folder: the asset that it would be built from, which the tag of the image names. Nothing is built,
 * because this machine has no base images; boxes run from that folder (box.sh). Null when there is no such asset.
 */
export function findImageFolder({ assembly }: RunFiles, image: string): string | null {
  const asset = `asset.${image.split(':').at(-1)}`;
  const known = existsSync(assembly) && readdirSync(assembly).includes(asset);
  return known ? join(assembly, asset) : null;
}
