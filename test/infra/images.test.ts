import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  describePinAge,
  describeUnlockedBaseImages,
  listBaseImages,
  pinBaseImageDigests,
  readAllDockerfiles,
  readImageLock,
} from '../../infra/image-lock.ts';
import { TOOLCHAINS } from '../../infra/images.ts';
import { assemblyFolder, only, type Properties, synthesise, text } from './synthesise.ts';

const SHA = `sha256:${'a'.repeat(64)}`;
const TAKEN = `registry.example.org/team/gates@${SHA}`;
const DELIVER = `123456789012.dkr.ecr.eu-west-1.amazonaws.com/team/deliver@${SHA}`;
const IMAGES = { go: 'go', ours: { agent: `registry.example.org/team/agent@${SHA}`, gates: TAKEN } };
const template = synthesise({ 'assay:images': JSON.stringify(IMAGES) });
const definition = (name: string) =>
  only(template, 'AWS::ECS::TaskDefinition', `WorkforceBoxes${name}Task`).Properties;
const environment = (id: string) =>
  only(template, 'AWS::Lambda::Function', id).Properties['Environment'].Variables;

describe('toolchain images', () => {
  it('have a definition for each box that runs code of a repository, told to those who choose', () => {
    const families = JSON.parse(text(environment('DispatcherLaunch').ASSAY_IMAGE_FAMILIES)) as Record<
      string,
      { agent: string; gates: string }
    >;
    expect(Object.keys(families)).toEqual(['go', 'ours']);
    for (const { agent, gates } of Object.values(families)) expect(agent).not.toBe(gates);
    expect(text(environment('VerificationResolver').ASSAY_IMAGE_FAMILIES)).toBe(
      text(environment('DispatcherLaunch').ASSAY_IMAGE_FAMILIES),
    );
    expect(Object.keys(template.findResources('AWS::ECS::TaskDefinition'))).toHaveLength(6);
  });

  it('are taken by their digest where somebody has built them', () => {
    expect(definition('gatesours')['ContainerDefinitions'][0].Image).toBe(TAKEN);
  });

  it('give a box nothing that the usual one has not: roles, capabilities, file system', () => {
    for (const name of ['go', 'ours'])
      for (const kind of ['agent', 'gates']) {
        const [usual, other] = [definition(kind), definition(`${kind}${name}`)];
        for (const key of ['TaskRoleArn', 'ExecutionRoleArn', 'Cpu', 'Memory'])
          expect(other[key]).toEqual(usual[key]);
        for (const key of [
          'LinuxParameters',
          'ReadonlyRootFilesystem',
          'Environment',
          'Secrets',
          'MountPoints',
        ])
          expect(other['ContainerDefinitions'][0][key]).toEqual(usual['ContainerDefinitions'][0][key]);
      }
  });

  it('may take the place of the usual one, and all of them need no build', () => {
    const taken = synthesise({
      'assay:images': JSON.stringify({ default: IMAGES.ours }),
      'assay:deliverImage': DELIVER,
    });
    const images = Object.values(taken.findResources('AWS::ECS::TaskDefinition')).map(
      ({ Properties }) => Properties.ContainerDefinitions[0].Image,
    );
    expect(images).toHaveLength(2);
    for (const image of images) expect(image).toMatch(/^registry\.example\.org\/.*@sha256:/);
    const { Code, ImageConfig } = only(taken, 'AWS::Lambda::Function', 'DeliveryDeliver').Properties;
    expect(text(Code.ImageUri)).toMatch(new RegExp(`/team/deliver@${SHA}$`));
    expect(ImageConfig).toEqual({ Command: ['index.handler'] });
  });

  it.each([
    ['images', '{"Go":"go"}'],
    ['images', '{"go":"perl"}'],
    ['images', '{"go":{"agent":"registry.example.org/a:1","gates":"registry.example.org/b:1"}}'],
    ['deliverImage', DELIVER.replace(/@.*/, ':latest')],
    // Lambda takes none from elsewhere.
    ['deliverImage', `registry.example.org/team/deliver@${SHA}`],
    ['deliverImage', `public.ecr.aws/team/deliver@${SHA}`],
    ['delivery', '{"memory":100}'],
    ['delivery', '{"disk":20000}'],
    ['delivery', '{"seconds":901}'],
    ['delivery', '{"cpu":512}'],
    ['deliverConcurrency', '-1'],
  ])('%s cannot be %s', (name, value) => {
    expect(() => synthesise({ [`assay:${name}`]: value })).toThrow(`assay:${name}`);
  });
});

const dockerAssets = (context: Record<string, unknown>) =>
  Object.values(
    (
      JSON.parse(readFileSync(join(assemblyFolder(context), 'Assay.assets.json'), 'utf8')) as {
        readonly dockerImages: Readonly<Record<string, { readonly source: Properties }>>;
      }
    ).dockerImages,
  ).map(({ source }) => source);

describe('the architecture of images', () => {
  it.each([
    ['arm64', 'ARM64', 'linux/arm64', 'ARM_CONTAINER'],
    ['x86_64', 'X86_64', 'linux/amd64', 'LINUX_CONTAINER'],
  ])(
    '%s is that of containers, of the function that delivers, and of builds',
    (setting, ecs, platform, machine) => {
      const context = { 'assay:architecture': setting };
      const made = synthesise(context);
      for (const { Properties } of Object.values(made.findResources('AWS::ECS::TaskDefinition')))
        expect(Properties.RuntimePlatform.CpuArchitecture).toBe(ecs);
      expect(only(made, 'AWS::Lambda::Function', 'DeliveryDeliver').Properties['Architectures']).toEqual([
        setting,
      ]);
      expect(dockerAssets(context).map((source) => source['platform'])).toEqual([
        platform,
        platform,
        platform,
      ]);
      const built = synthesise({ ...context, 'assay:imageBuild': 'codebuild' });
      expect(only(built, 'AWS::CodeBuild::Project').Properties['Environment'].Type).toBe(machine);
      for (const { Properties } of Object.values(built.findResources('Custom::AssayImage')))
        expect(Properties.Options).toContain(`--platform ${platform}`);
    },
  );
});

describe('mirrors and authorities of the deployment', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-mirrors-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const mirrors = { debian: 'https://mirror.example/debian', npm: 'https://mirror.example/npm/' };
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, rootCertificates[0] ?? '');
  const context = { 'assay:mirrors': JSON.stringify(mirrors), 'assay:caFile': caFile };
  const named = { DEBIAN_MIRROR: mirrors.debian, NPM_REGISTRY: mirrors.npm };

  it('reach the builds of the images that install packages with them', () => {
    const [agent, gates, deliver] = dockerAssets(context);
    expect(agent?.['dockerBuildArgs']).toEqual({ ...named, AGENT_CLIS: 'claude' });
    expect(gates?.['dockerBuildArgs']).toEqual(named);
    for (const source of [agent, gates, deliver])
      expect(
        readFileSync(join(assemblyFolder(context), source?.['directory'], 'private-ca.pem'), 'utf8'),
      ).toContain('BEGIN CERTIFICATE');
    const built = synthesise({ ...context, 'assay:imageBuild': 'codebuild' });
    const options = Object.values(built.findResources('Custom::AssayImage')).map(
      ({ Properties }) => Properties.Options as string,
    );
    expect(options.filter((each) => each.includes(`--build-arg NPM_REGISTRY=${mirrors.npm}`))).toHaveLength(
      2,
    );
  });

  it.each([
    '{"debian":"ftp://mirror.example/debian"}',
    '{"npm":"https://user:secret@mirror.example"}',
    '{"pip":"https://mirror.example/$(id)"}',
    '{"cargo":"https://mirror.example"}',
  ])('cannot be %s', (value) => {
    expect(() => synthesise({ 'assay:mirrors': value })).toThrow('assay:mirrors');
  });

  it('are what package managers of the image use from then on', () => {
    const root = join(folder, 'root');
    for (const path of ['etc/apt/sources.list.d', 'etc/apt/apt.conf.d', 'opt/build'])
      mkdirSync(join(root, path), { recursive: true });
    const place = (path: string, content: string) => writeFileSync(join(root, path), content);
    const read = (path: string) => readFileSync(join(root, path), 'utf8').trim();
    place('etc/apt/sources.list', 'deb http://deb.debian.org/debian-security trixie-security main\n');
    place('etc/apt/sources.list.d/debian.sources', 'Types: deb\nURIs: http://deb.debian.org/debian\n');
    place('opt/build/private-ca.pem', 'pem');
    const script = readFileSync('containers/images/use-mirrors.sh', 'utf8');
    place('use.sh', script.replaceAll(/(?<=[ =>"])\/(?=(etc|opt|usr)\/)/g, `${root}/`));
    const said = execFileSync('sh', ['-euc', '. "$0"; echo "$NODE_EXTRA_CA_CERTS"', join(root, 'use.sh')], {
      encoding: 'utf8',
      env: { ...named, PIP_INDEX_URL: 'https://mirror.example/pip', PATH: process.env['PATH'] },
    });
    expect(said.trim()).toBe(join(root, 'opt/build/private-ca.pem'));
    expect(read('etc/apt/sources.list')).toBe(
      'deb https://mirror.example/debian-security trixie-security main',
    );
    expect(read('etc/apt/sources.list.d/debian.sources')).toContain('URIs: https://mirror.example/debian');
    expect(read('usr/local/etc/npmrc')).toBe(`registry=${mirrors.npm}`);
    expect(read('etc/pip.conf')).toContain('index-url = https://mirror.example/pip');
    expect(read('usr/local/share/ca-certificates/assay-private-ca.crt')).toBe('pem');
  });
});

describe('the Dockerfiles of toolchains', () => {
  it.each(TOOLCHAINS)('of %s tries its tools out, and is what the boxes are built on', (name) => {
    const dockerfile = readFileSync(`containers/images/${name}.Dockerfile`, 'utf8');
    expect(dockerfile).toMatch(/^FROM node:24\.21\.0-trixie-slim AS toolchain$/m);
    expect(dockerfile.trimEnd().split('\n').at(-1)).toMatch(/^RUN .*--?version|^RUN .* version/);
    expect(dockerfile.split('\n').length).toBeLessThan(20);
  });

  it('name no image that is not in the lock, by an exact tag', () => {
    const named = [...new Set(readAllDockerfiles().flatMap(listBaseImages))].sort((a, b) => (a < b ? -1 : 1));
    expect(Object.keys(readImageLock())).toEqual(named);
    // AWS moves the image of a runtime under the name of its major version; its digest is what pins it.
    for (const reference of named)
      expect(reference).toMatch(/:\d+\.\d+\.\d+-|^public\.ecr\.aws\/lambda\/nodejs:24$/);
  });

  it('names how old the pins are once they are older than 90 days', () => {
    const pins = { reviewed: '2026-01-01' };
    expect(describePinAge(new Date('2026-04-01'), pins)).toBeNull();
    expect(describePinAge(new Date('2026-04-02'), pins)).toContain('91 days ago, on 2026-01-01');
  });

  it('of Rust has the components that its gates run', () => {
    const dockerfile = readFileSync('containers/images/rust.Dockerfile', 'utf8');
    expect(dockerfile).toContain('rustup component add clippy rustfmt');
    for (const tool of ['clippy', 'fmt']) expect(dockerfile).toContain(`cargo ${tool} --version`);
  });

  it('of which no digest is known are named to whoever deploys, with what to run', () => {
    expect(describeUnlockedBaseImages({ 'node:1.2.3-slim': SHA })).toBeNull();
    expect(
      describeUnlockedBaseImages({ 'node:1.2.3-slim': SHA, 'go:1.2.3-x': null, 'rust:1.2.3-x': null }),
    ).toBe(
      'Images are built on tags that may move, because no digest is known of go:1.2.3-x, rust:1.2.3-x: npm run images:lock looks them up (docs/how-to/deploy.md).',
    );
  });

  it('are built on a digest once it is known', () => {
    const known = { 'node:1.2.3-slim': SHA, 'go:1.2.3-x': null };
    expect(
      pinBaseImageDigests(
        'FROM go:1.2.3-x AS go\nFROM node:1.2.3-slim AS toolchain\nFROM toolchain\n',
        known,
      ),
    ).toBe(`FROM go:1.2.3-x AS go\nFROM node:1.2.3-slim@${SHA} AS toolchain\nFROM toolchain\n`);
  });
});

describe('npm run images:lock', () => {
  const asked: string[] = [];
  let missing = '';
  const server = createServer((request, response) => {
    const { authorization = '' } = request.headers;
    asked.push(`${request.method} ${request.url} ${authorization}`);
    if (request.url?.startsWith('/token')) return void response.end('{"token":"t"}');
    const url = `http://${request.headers.host}`;
    const challenge = {
      'www-authenticate': `Bearer realm="${url}/token",service="s",scope="repository:x:pull"`,
    };
    if (authorization === '') return void response.writeHead(401, challenge).end();
    const found = missing === '' || !request.url?.includes(missing);
    response.writeHead(found ? 200 : 404, found ? { 'docker-content-digest': SHA } : {}).end();
  });
  let url = '';
  const folder = mkdtempSync(join(tmpdir(), 'assay-lock-'));
  const file = join(folder, 'lock.json');
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const run = async (...args: string[]) => {
    const child = spawn(process.execPath, ['infra/image-lock.ts', '--file', file, ...args]);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, output };
  };
  const pins = (): { readonly reviewed: string; readonly digests: Record<string, string | null> } =>
    JSON.parse(readFileSync(file, 'utf8'));

  it('writes the digest of every base image, with a token where the registry demands one', async () => {
    const { code, output } = await run('--registry', url);
    expect([code, output]).toEqual([0, expect.stringContaining(`node:24.21.0-trixie-slim@${SHA}`)]);
    expect(asked).toEqual(
      expect.arrayContaining([
        'HEAD /v2/library/node/manifests/24.21.0-trixie-slim ',
        'GET /token?service=s&scope=repository%3Ax%3Apull ',
        'HEAD /v2/library/node/manifests/24.21.0-trixie-slim Bearer t',
        'HEAD /v2/lambda/nodejs/manifests/24 Bearer t',
      ]),
    );
    expect(Object.keys(pins().digests)).toEqual(Object.keys(readImageLock()));
    expect(new Set(Object.values(pins().digests))).toEqual(new Set([SHA]));
    expect(pins().reviewed).toBe(new Date().toISOString().slice(0, 10));
    expect((await run('--check')).code).toBe(0);
  });

  it('writes nothing where one digest cannot be had, and names the image', async () => {
    const before = { reviewed: '2026-01-01', digests: {} };
    writeFileSync(file, JSON.stringify(before));
    missing = '/rust/';
    const answered = await run('--registry', url);
    missing = '';
    expect(answered.code).toBe(1);
    expect(answered.output).toMatch(/^error: rust:\S+: the registry answers 404\. Nothing was written\.$/m);
    // Nothing listens on the port of tcpmux.
    const unreachable = await run('--registry', 'http://127.0.0.1:1');
    expect(unreachable.code).toBe(1);
    expect(unreachable.output).toContain('cannot be reached');
    expect(pins()).toEqual(before);
  });

  it('says with --check how old the pins are, and fails for old ones and for images without a digest', async () => {
    const today = new Date().toISOString().slice(0, 10);
    writeFileSync(file, JSON.stringify({ reviewed: '2026-01-01', digests: { 'node:1.2.3-slim': SHA } }));
    const old = await run('--check');
    expect([old.code, old.output]).toEqual([
      1,
      expect.stringMatching(/^compared .* \d+ days ago, on 2026-01-01$/m),
    ]);
    writeFileSync(file, JSON.stringify({ reviewed: today, digests: { 'node:1.2.3-slim': null } }));
    const open = await run('--check');
    expect([open.code, open.output]).toEqual([1, expect.stringContaining('node:1.2.3-slim: no digest')]);
  });
});
