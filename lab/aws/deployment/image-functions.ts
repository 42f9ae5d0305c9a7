import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTAINER_ENV_NAMES } from '../../../shared/contract/resource-names.ts';
import type { ImageRoot } from '../../images/image-root.ts';
import { findBuiltImage } from '../engine/built-images.ts';
import { SYSTEM_BUNDLE, UNSHARED_CONTAINER } from '../engine/container-process.ts';
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
 * The code of a function that runs another one inside its built image, as Lambda runs it: a read-only root, /tmp, a user
 * without capabilities. The emulator starts functions as processes of this machine and knows no images.
 */
const runInImage = (files: RunFiles, image: ImageRoot): string => `
const { spawn } = require('node:child_process');
const { mkdtempSync, rmSync } = require('node:fs');
const { join } = require('node:path');
const PROGRAM = ${JSON.stringify(IN_IMAGE)};
exports.handler = (event, context) => new Promise((resolve, reject) => {
  const SCRATCH = mkdtempSync(join(${JSON.stringify(files.boxes)}, 'deliver-'));
  const child = spawn('unshare', [...${JSON.stringify(UNSHARED_CONTAINER)}, 'node', '-e', PROGRAM], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SCRATCH, IMAGE: ${JSON.stringify(image.root)}, AGENT: '',
      CA_BUNDLE: ${JSON.stringify(files.caBundle)}, CAPABILITIES: '-all', READ_ONLY: 'true', WRITABLE: '/tmp',
      WORKDIR: '/tmp', SETPRIV: '--reuid 993 --regid 990 --clear-groups --no-new-privs',
    },
  });
  const own = ${JSON.stringify(image.environment)};
  const given = Object.entries(process.env).filter(([name]) => /^(AWS_|ASSAY_|LAMBDA_|POWERTOOLS_)/.test(name));
  const { awsRequestId, functionName } = context;
  const invocation = { event, context: { awsRequestId, functionName, left: context.getRemainingTimeInMillis() } };
  // Lambda brings this user and its home.
  const values = ['HOME=/home/sbx_user1051', 'INVOCATION=' + JSON.stringify(invocation), ...given.map(([name, value]) => name + '=' + value), ...own,
    'NODE_EXTRA_CA_CERTS=${SYSTEM_BUNDLE}', '${CONTAINER_ENV_NAMES.caFile}=${SYSTEM_BUNDLE}'];
  child.stdio[3].end(values.map((each) => each + '\\0').join(''));
  let answer = '';
  child.stdio[4].on('data', (chunk) => { answer += chunk; });
  child.once('error', reject);
  child.once('close', (code) => {
    rmSync(SCRATCH, { recursive: true, force: true });
    const { result, error } = answer === '' ? { error: 'the function ended with exit code ' + code } : JSON.parse(answer);
    if (error === undefined) resolve(result); else reject(new Error(error));
  });
});
`;

/** The program inside the image: what Lambda's runtime does with a handler. */
const IN_IMAGE = `
const { event, context } = JSON.parse(process.env.INVOCATION);
delete process.env.INVOCATION;
const ends = Date.now() + context.left;
const answer = (value) => { require('node:fs').writeSync(4, JSON.stringify(value)); process.exit(0); };
require('/var/task/index.js')
  .handler(event, { ...context, getRemainingTimeInMillis: () => ends - Date.now() })
  .then((result) => answer({ result: result ?? null }), (error) => answer({ error: String(error && error.stack) }));
`;

/**
 * The emulator knows no functions from images. One whose image was built is deployed as code that runs it inside that image;
 * another is deployed as the code that its image would be built of, and calls the git of this machine.
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
    const image = findBuiltImage(files, tag);
    const source = image === null ? `asset.${tag}` : `in-image.${tag}`;
    if (image !== null) {
      await mkdir(join(files.assembly, source), { recursive: true });
      await writeFile(join(files.assembly, source, 'index.js'), runInImage(files, image));
      await writeFile(join(files.assembly, source, 'package.json'), '{"type":"commonjs"}\n');
    }
    manifest.files[tag] = {
      source: { path: source, packaging: 'zip' },
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
