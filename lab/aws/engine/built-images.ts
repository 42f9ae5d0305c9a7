import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TOOLCHAINS } from '../../../infra/images.ts';
import { synthesiseAssembly } from '../../images/assembly.ts';
import { findImageBuilder } from '../../images/builder.ts';
import { getImageReference, listImageDefinitions } from '../../images/image-definitions.ts';
import { type ImageRoot, openImageRoot } from '../../images/image-root.ts';
import { listToolchainsInTurn } from '../../images/toolchain-in-turn.ts';
import type { RunFiles } from '../machine/run-environment.ts';

/** Images that `npm run images` has built and that containers of this run start from. */
export interface BuiltImages {
  /** Keyed by the digest of their definition. */
  readonly roots: Readonly<Record<string, ImageRoot>>;
  /** Toolchain whose agent and gates images are there; null: none. */
  readonly toolchain: (typeof TOOLCHAINS)[number] | null;
  /** Reason why containers run from folders of this machine; null: they run in images. */
  readonly missing: string | null;
}

const DEPLOYED = ['agent', 'gates', 'deliver'];

/** Opens the images of a default deployment that were built before, for the tests to start containers in. */
export function openBuiltImages(files: RunFiles): { readonly images: BuiltImages; close(): void } {
  const builder = findImageBuilder();
  if (typeof builder === 'string')
    return { images: { roots: {}, toolchain: null, missing: builder }, close: () => {} };
  synthesiseAssembly(files.defaultAssembly);
  const definitions = listImageDefinitions(files.defaultAssembly);
  const opened = new Map<string, NonNullable<ReturnType<typeof openImageRoot>>>();
  const open = (names: readonly string[]): boolean => {
    for (const wanted of names) {
      const definition = definitions.find(({ name }) => name === wanted);
      if (definition === undefined) return false;
      const root = openImageRoot(builder, getImageReference(definition), join(files.images, definition.name));
      if (root === null) return false;
      opened.set(definition.digest, root);
    }
    return true;
  };
  const complete = open(DEPLOYED);
  const toolchain =
    listToolchainsInTurn(new Date()).find((name) => complete && open([`agent-${name}`, `gates-${name}`])) ??
    null;
  return {
    images: {
      roots: complete ? Object.fromEntries([...opened].map(([digest, { image }]) => [digest, image])) : {},
      toolchain,
      missing: complete ? null : 'images of this source were not built: run `npm run images -- --turn` first',
    },
    close: () => {
      for (const { close } of opened.values()) close();
    },
  };
}

export const writeBuiltImages = (files: RunFiles, images: BuiltImages): void =>
  writeFileSync(files.builtImages, JSON.stringify(images));

export const readBuiltImages = (files: RunFiles): BuiltImages =>
  JSON.parse(readFileSync(files.builtImages, 'utf8')) as BuiltImages;

/** Digests of the deployed assets of an assembly; computed once, because they are asked for with each container. */
const digests = new Map<string, ReadonlyMap<string | null, string>>();
function digestOfAsset(assembly: string, asset: string): string | undefined {
  const known =
    digests.get(assembly) ?? new Map(listImageDefinitions(assembly).map((each) => [each.asset, each.digest]));
  digests.set(assembly, known);
  return known.get(asset);
}

/** Returns the built image of an asset of the deployment; null: none was built, or the asset is no image. */
export function findBuiltImage(files: RunFiles, asset: string): ImageRoot | null {
  const digest = digestOfAsset(files.assembly, asset);
  return digest === undefined ? null : (readBuiltImages(files).roots[digest] ?? null);
}
