import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Digest of each base image that Dockerfiles are built on; null: it was not looked up, and the tag alone counts. */
export type ImageLock = Readonly<Record<string, string | null>>;

/** The one file of pins: Dockerfiles name no other base. */
interface ImagePins {
  /** Day on which a person last compared the tags with the newest ones, `2026-11-27`. */
  readonly reviewed: string;
  readonly digests: ImageLock;
}

/** Days after which the pins are to be compared with the newest versions again. */
const MAX_PIN_AGE_DAYS = 90;

const ROOT = dirname(import.meta.dirname);
const CONTAINERS = join(ROOT, 'containers');
const HERE = join(CONTAINERS, 'images');
const FILE = join(HERE, 'lock.json');
const FROM = /^FROM (?<reference>[a-z][a-z0-9./-]*:[\w.-]+)(?: AS \w+)?$/gm;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ');

const readPins = (): ImagePins => JSON.parse(readFileSync(FILE, 'utf8')) as ImagePins;
export const readImageLock = (): ImageLock => readPins().digests;

/** Returns a warning when the pins were last reviewed too long ago, or null. */
export function describePinAge(
  now: Date,
  { reviewed }: Pick<ImagePins, 'reviewed'> = readPins(),
): string | null {
  const days = Math.floor((now.getTime() - Date.parse(reviewed)) / 86_400_000);
  return days <= MAX_PIN_AGE_DAYS
    ? null
    : `The base images were last compared with the newest versions ${days} days ago, on ${reviewed}: update the tags of the Dockerfiles and run npm run images:lock (docs/how-to/deploy.md).`;
}

/** What to say of bases that nobody has looked up; null: all are locked. A build stands on what their tags mean on that day. */
export function describeUnlockedBaseImages(lock: ImageLock): string | null {
  const open = Object.entries(lock).flatMap(([reference, digest]) => (digest === null ? [reference] : []));
  return open.length === 0
    ? null
    : `Images are built on tags that may move, because no digest is known of ${open.join(', ')}: npm run images:lock looks them up (docs/how-to/deploy.md).`;
}

/** The images that a Dockerfile names, without its own stages. */
export const listBaseImages = (dockerfile: string): string[] =>
  [...dockerfile.matchAll(FROM)].map(({ groups }) => groups?.['reference'] ?? '');

/** A Dockerfile with each base image by the digest that is locked: then its tag may move without a change here. */
export const pinBaseImageDigests = (dockerfile: string, lock: ImageLock): string =>
  listBaseImages(dockerfile).reduce(
    (text, reference) =>
      lock[reference] ? text.replaceAll(`FROM ${reference}`, `FROM ${reference}@${lock[reference]}`) : text,
    dockerfile,
  );

/** Every Dockerfile of the boxes, their toolchains and the function that delivers, as text. */
export function readAllDockerfiles(): string[] {
  const boxes = ['agent', 'gates'].map((box) => join(CONTAINERS, box, 'Dockerfile'));
  const toolchains = readdirSync(HERE).filter((name) => name.endsWith('.Dockerfile'));
  const deliver = join(ROOT, 'functions', 'deliver', 'Dockerfile');
  return [...boxes, deliver, ...toolchains.map((name) => join(HERE, name))].map((path) =>
    readFileSync(path, 'utf8'),
  );
}

export interface ContainerRegistry {
  /** Base URLs of the registry and of who gives tokens for it. */
  readonly registry: string;
  readonly auth: string;
  readonly service: string;
}
const DOCKER_HUB: ContainerRegistry = {
  registry: 'https://registry-1.docker.io',
  auth: 'https://auth.docker.io',
  service: 'registry.docker.io',
};
const PUBLIC_ECR: ContainerRegistry = {
  registry: 'https://public.ecr.aws',
  auth: 'https://public.ecr.aws',
  service: 'public.ecr.aws',
};

/** Where an image lies: official ones on Docker Hub, those of AWS where they say. */
const placeOf = (name: string): readonly [ContainerRegistry, string] =>
  name.startsWith('public.ecr.aws/')
    ? [PUBLIC_ECR, name.slice('public.ecr.aws/'.length)]
    : [DOCKER_HUB, `library/${name}`];

/** Asks the registry for the digest of an image's index, of all its architectures. Throws what it answers instead. */
export async function fetchImageDigest(reference: string, at?: ContainerRegistry): Promise<string> {
  const [name = '', tag = ''] = reference.split(':');
  const [usual, repository] = placeOf(name);
  const { registry, auth, service } = at ?? usual;
  const scope = `${auth}/token?service=${service}&scope=repository:${repository}:pull`;
  const { token } = (await (await fetch(scope)).json()) as { readonly token?: string };
  const answer = await fetch(`${registry}/v2/${repository}/manifests/${tag}`, {
    method: 'HEAD',
    headers: { accept: MANIFESTS, authorization: `Bearer ${token}` },
  });
  const digest = answer.headers.get('docker-content-digest') ?? '';
  if (!answer.ok || !DIGEST.test(digest))
    throw new Error(`${reference}: the registry answers ${answer.status}`);
  return digest;
}

async function main(): Promise<void> {
  const references = [...new Set(readAllDockerfiles().flatMap(listBaseImages))].sort((a, b) =>
    a < b ? -1 : 1,
  );
  const entries = await Promise.all(
    references.map(async (each) => [each, await fetchImageDigest(each)] as const),
  );
  const pins: ImagePins = {
    reviewed: new Date().toISOString().slice(0, 10),
    digests: Object.fromEntries(entries),
  };
  writeFileSync(FILE, `${JSON.stringify(pins, null, 2)}\n`);
  for (const [reference, digest] of entries) process.stdout.write(`${reference}@${digest}\n`);
}

if (import.meta.main) await main();
