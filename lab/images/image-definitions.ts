import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../shared/lib/sha256.ts';

/** One image of a cloud assembly: a Dockerfile in an asset, with the arguments that the deployment builds it with. */
export interface ImageDefinition {
  /** `agent`, `gates`, `deliver`, or one of a toolchain: `gates-go`. */
  readonly name: string;
  /** Hash of the asset that the deployment builds with this Dockerfile; null: it builds none with it. */
  readonly asset: string | null;
  /** Folder of the asset. */
  readonly folder: string;
  /** Name of the Dockerfile in that folder. */
  readonly dockerfile: string;
  readonly buildArgs: Readonly<Record<string, string>>;
  /** SHA-256 of all that the image is built of, beside its base images. */
  readonly digest: string;
}

interface DockerImageAsset {
  readonly source: {
    readonly directory: string;
    readonly dockerFile?: string;
    readonly dockerBuildArgs?: Readonly<Record<string, string>>;
  };
}

/** Returns the kind of image of an asset, by its files. Assets of gates and of agents both have `install-clis.ts`. */
const kindOf = (files: readonly string[]): string =>
  files.includes('matcher.mjs') ? 'gates' : files.includes('install-clis.ts') ? 'agent' : 'deliver';

/** @returns the digest of the Dockerfile, its arguments and the files that it may copy */
function digestOf(contents: ReadonlyMap<string, string>, dockerfile: string, buildArgs: object): string {
  const copied = [...contents].filter(([name]) => !name.startsWith('Dockerfile') || name === dockerfile);
  return sha256(JSON.stringify([copied, dockerfile, buildArgs]));
}

/**
 * Lists every Dockerfile in the assets of an assembly, those without a toolchain first. An asset that has several Dockerfiles
 * is listed once for each of them.
 */
export function listImageDefinitions(assembly: string): ImageDefinition[] {
  const manifest = readdirSync(assembly).find((name) => name.endsWith('.assets.json'));
  if (manifest === undefined) throw new Error(`${assembly} has no *.assets.json: it is not a cloud assembly`);
  const { dockerImages = {} } = JSON.parse(readFileSync(join(assembly, manifest), 'utf8')) as {
    readonly dockerImages?: Readonly<Record<string, DockerImageAsset>>;
  };
  const byName = new Map<string, ImageDefinition>();
  for (const [hash, { source }] of Object.entries(dockerImages)) {
    const folder = join(assembly, source.directory);
    const files = readdirSync(folder).sort();
    const contents = new Map(files.map((name) => [name, sha256(readFileSync(join(folder, name)))]));
    const kind = kindOf(files);
    const buildArgs = source.dockerBuildArgs ?? {};
    for (const dockerfile of files.filter((name) => /^Dockerfile(\.\w+)?$/.test(name))) {
      const toolchain = dockerfile.split('.')[1];
      const name = toolchain === undefined ? kind : `${kind}-${toolchain}`;
      const asset = (source.dockerFile ?? 'Dockerfile') === dockerfile ? hash : null;
      if (byName.has(name) && asset === null) continue;
      const digest = digestOf(contents, dockerfile, buildArgs);
      byName.set(name, { name, asset, folder, dockerfile, buildArgs, digest });
    }
  }
  return [...byName.values()].sort((a, b) => Number(a.name.includes('-')) - Number(b.name.includes('-')));
}

/** Reference of an image in the storage of the builder that has built it. */
export const getImageReference = ({ name, digest }: Pick<ImageDefinition, 'name' | 'digest'>): string =>
  `localhost/assay/${name}:${digest.slice(0, 16)}`;
