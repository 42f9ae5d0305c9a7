import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTAINER_ENV_NAMES } from '../../../shared/contract/resource-names.ts';
import type { RunFiles } from '../machine/run-environment.ts';
import type { TemplateResource } from './resource-gaps.ts';

interface Asset {
  readonly source: Readonly<Record<string, unknown>>;
  readonly destinations: Readonly<Record<string, Readonly<Record<string, string>>>>;
}
interface Manifest {
  readonly files: Record<string, Asset>;
}
interface Template {
  readonly Resources: Record<string, TemplateResource>;
}

/** The tag of an image of the deployment, which is the hash of what it is built of. */
const tagOf = (resource: TemplateResource): string | undefined =>
  resource.Type === 'AWS::Lambda::Function'
    ? /:([0-9a-f]{64})"/.exec(JSON.stringify(resource.Properties?.['Code']))?.[1]
    : undefined;

/**
 * No base image can be had here, so nothing runs from one: a function from an image is deployed as the code that its image would be built
 * of, and calls the git of this machine. What the image would bring beside is the forge's authority.
 */
export async function replaceImageFunctions(files: RunFiles, template: Template): Promise<Template> {
  const path = join(files.assembly, 'Assay.assets.json');
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
  const [like] = Object.values(manifest.files).filter(({ source }) => source['packaging'] === 'zip');
  if (!like) throw new Error('no function has an asset');
  const Resources = { ...template.Resources };
  for (const [id, resource] of Object.entries(Resources)) {
    const tag = tagOf(resource);
    if (tag === undefined) continue;
    const key = `${tag}.zip`;
    manifest.files[tag] = {
      source: { path: `asset.${tag}`, packaging: 'zip' },
      destinations: Object.fromEntries(
        Object.entries(like.destinations).map(([name, each]) => [name, { ...each, objectKey: key }]),
      ),
    };
    const { PackageType, ImageConfig, Environment, ...rest } = resource.Properties ?? {};
    const { Variables } = Environment as { readonly Variables: Readonly<Record<string, unknown>> };
    const S3Bucket = { 'Fn::Sub': Object.values(like.destinations)[0]?.['bucketName'] };
    const { Command } = ImageConfig as { readonly Command: readonly string[] };
    Resources[id] = {
      ...resource,
      Properties: {
        ...rest,
        Code: { S3Bucket, S3Key: key },
        Handler: Command[0],
        Runtime: 'nodejs24.x',
        Environment: { Variables: { ...Variables, [CONTAINER_ENV_NAMES.caFile]: files.ca } },
      },
    };
  }
  await writeFile(path, JSON.stringify(manifest));
  return { ...template, Resources };
}
