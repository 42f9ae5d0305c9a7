import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

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
const DAY_MS = 86_400_000;

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

const readPins = (file = FILE): ImagePins => JSON.parse(readFileSync(file, 'utf8')) as ImagePins;
export const readImageLock = (): ImageLock => readPins().digests;

/** Returns a warning when the pins were last reviewed too long ago, or null. */
export function describePinAge(
  now: Date,
  { reviewed }: Pick<ImagePins, 'reviewed'> = readPins(),
): string | null {
  const days = Math.floor((now.getTime() - Date.parse(reviewed)) / DAY_MS);
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

const DOCKER_HUB = 'https://registry-1.docker.io';
const PUBLIC_ECR = 'https://public.ecr.aws';

/** Returns the registry and the repository of an image: official ones are on Docker Hub, those of AWS where they say. */
const placeOf = (name: string): readonly [registry: string, repository: string] =>
  name.startsWith('public.ecr.aws/')
    ? [PUBLIC_ECR, name.slice('public.ecr.aws/'.length)]
    : [DOCKER_HUB, `library/${name}`];

const REQUEST_TIMEOUT_MS = 30_000;
const ask = (url: string | URL, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });

/** Gets the token that a registry demands in its answer 401. @returns null if it demands none that can be had */
async function fetchPullToken(refused: Response): Promise<string | null> {
  const [, demand] = /^Bearer (.+)$/i.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
  if (demand === undefined) return null;
  const { realm, ...parameters } = Object.fromEntries(
    [...demand.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
  if (realm === undefined || !URL.canParse(realm)) return null;
  const url = new URL(realm);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const answer = (await (await ask(url)).json()) as {
    readonly token?: string;
    readonly access_token?: string;
  };
  return answer.token ?? answer.access_token ?? null;
}

/**
 * Asks a registry for the digest of an image's index, of all its architectures.
 * @param registry base URL of a mirror. @default - the registry of the image
 * @throws Error with what it answers instead
 */
async function fetchImageDigest(reference: string, registry?: string): Promise<string> {
  const [name = '', tag = ''] = reference.split(':');
  const [usual, repository] = placeOf(name);
  const base = (registry ?? usual).replace(/\/$/, '');
  const head = (headers: Record<string, string>): Promise<Response> =>
    ask(`${base}/v2/${repository}/manifests/${tag}`, {
      method: 'HEAD',
      headers: { accept: MANIFESTS, ...headers },
    });
  let answer: Response;
  try {
    answer = await head({});
    const token = answer.status === 401 ? await fetchPullToken(answer) : null;
    if (token !== null) answer = await head({ authorization: `Bearer ${token}` });
  } catch (error) {
    const { cause, message } = error as Error;
    throw new Error(
      `${reference}: ${base} cannot be reached: ${cause instanceof Error ? cause.message : message}`,
    );
  }
  const digest = answer.headers.get('docker-content-digest') ?? '';
  if (!answer.ok || !DIGEST.test(digest))
    throw new Error(`${reference}: the registry answers ${answer.status}`);
  return digest;
}

const HELP = `Usage: npm run images:lock -- [options]

Looks up the digest of each base image that a Dockerfile names, and writes containers/images/lock.json, all or nothing.

Options:
  --registry <url>  mirror that has the repositories of Docker Hub (library/node) and of public.ecr.aws (lambda/nodejs)
  --file <path>     other file to write or check
  --check           looks nothing up: says how old the pins are, and which base images have no digest
  --help            this text

Exit codes: 0 all is well, 1 a registry did not answer, or --check found old pins or images without a digest, 2 wrong usage.
`;

/** Says how old the pins are and what is not locked. @returns the exit code */
function check(pins: ImagePins, now: Date): number {
  const age = Math.floor((now.getTime() - Date.parse(pins.reviewed)) / DAY_MS);
  process.stdout.write(`compared with the newest versions ${age} days ago, on ${pins.reviewed}\n`);
  for (const [reference, digest] of Object.entries(pins.digests))
    process.stdout.write(`${reference}${digest === null ? ': no digest' : `@${digest}`}\n`);
  const problems = [describePinAge(now, pins), describeUnlockedBaseImages(pins.digests)];
  const found = problems.filter((each) => each !== null);
  for (const problem of found) process.stdout.write(`${problem}\n`);
  return found.length === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      registry: { type: 'string' },
      file: { type: 'string', default: FILE },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (values.registry !== undefined && !/^https?:/.test(values.registry)) {
    process.stderr.write('error: --registry is a URL\n');
    return 2;
  }
  if (values.check) return check(readPins(values.file), new Date());
  const references = [...new Set(readAllDockerfiles().flatMap(listBaseImages))].sort((a, b) =>
    a < b ? -1 : 1,
  );
  const entries = await Promise.all(
    references.map(async (each) => [each, await fetchImageDigest(each, values.registry)] as const),
  );
  const pins: ImagePins = {
    reviewed: new Date().toISOString().slice(0, 10),
    digests: Object.fromEntries(entries),
  };
  writeFileSync(values.file, `${JSON.stringify(pins, null, 2)}\n`);
  for (const [reference, digest] of entries) process.stdout.write(`${reference}@${digest}\n`);
  return 0;
}

if (import.meta.main)
  process.exitCode = await main().catch((error: unknown) => {
    process.stderr.write(
      `error: ${error instanceof Error ? error.message : String(error)}. Nothing was written.\n`,
    );
    return 1;
  });
