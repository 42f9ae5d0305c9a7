import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { RunFiles } from '../machine/run-environment.ts';
import { type ContainerProcess, startContainerProcess } from './container-process.ts';
import { findImageSource } from './image-source.ts';
import { readConfinement } from './task-confinement.ts';

/** What the emulator asks of a container, in the words of Docker's API. */
export interface CreateContainerRequest {
  readonly Image: string;
  readonly Cmd?: readonly string[] | null;
  readonly Env?: readonly string[];
  readonly Labels?: Readonly<Record<string, string>>;
  readonly Entrypoint?: readonly string[] | null;
  readonly HostConfig?: Readonly<Record<string, unknown>>;
}
interface EngineContainer {
  readonly id: string;
  readonly name: string;
  readonly request: CreateContainerRequest;
  box: ContainerProcess | null;
}

const LABEL = 'com.amazonaws.ecs';
class NotFound extends Error {}

/** Requests that the emulator has made, newest last: what it lacks can be read from them. */
export const readCreateRequests = (files: RunFiles): CreateContainerRequest[] =>
  readFileSync(join(files.docker, 'requests.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as CreateContainerRequest);

/** The few calls of Docker's Engine API that the emulator makes, on a socket; containers are processes of this machine. */
export function startDockerEngine(files: RunFiles): Promise<void> {
  mkdirSync(files.docker, { recursive: true });
  const journal = join(files.docker, 'requests.jsonl');
  writeFileSync(journal, '');
  const containers = new Map<string, EngineContainer>();
  const find = (key: string): EngineContainer => {
    const found = [...containers.values()].find(({ id, name }) => id === key || name === key);
    if (!found) throw new NotFound(`No such container: ${key}`);
    return found;
  };

  async function create(name: string, request: CreateContainerRequest): Promise<unknown> {
    if (findImageSource(files, request.Image) === null) throw new NotFound(`No such image: ${request.Image}`);
    writeFileSync(journal, `${JSON.stringify(request)}\n`, { flag: 'a' });
    const id = randomBytes(32).toString('hex');
    containers.set(id, { id, name, request, box: null });
    return { Id: id, Warnings: [] };
  }

  async function start(container: EngineContainer): Promise<void> {
    const { Labels = {}, Image, Cmd, Env } = container.request;
    const family = `${Labels[`${LABEL}.task-definition-family`]}:${Labels[`${LABEL}.task-definition-version`]}`;
    const named = Labels[`${LABEL}.container-name`] ?? '';
    const image = findImageSource(files, Image);
    if (image === null) throw new NotFound(`No such image: ${Image}`);
    container.box = startContainerProcess(files, {
      id: container.id.slice(0, 12),
      image,
      command: Cmd ?? [],
      environment: Env ?? [],
      confinement: await readConfinement(family, named),
    });
  }

  async function route(method: string, url: URL, body: string): Promise<unknown> {
    const [, , key = '', action = ''] = url.pathname.replace(/^\/v[\d.]+/, '').split('/');
    const path = url.pathname.replace(/^\/v[\d.]+/, '');
    if (path === '/version') return { ApiVersion: '1.43', Version: '24.0.0' };
    if (path === '/containers/json') return [];
    if (path === '/containers/create') return create(url.searchParams.get('name') ?? '', JSON.parse(body));
    if (path.startsWith('/images/')) {
      const tag = decodeURIComponent(path.slice('/images/'.length).replace(/\/json$/, ''));
      if (findImageSource(files, tag) === null) throw new NotFound(`No such image: ${tag}`);
      return { Id: 'sha256:0', RepoTags: [tag] };
    }
    if (!path.startsWith('/containers/')) throw new NotFound(`${method} ${path} is not played`);
    const container = find(key);
    if (method === 'DELETE') {
      container.box?.stop(0);
      containers.delete(container.id);
      return null;
    }
    if (action === 'start') return start(container).then(() => null);
    if (action === 'json') return inspect(container);
    if (action === 'stop' || action === 'kill') {
      // Fargate waits as long as the definition says; the emulator says five seconds.
      container.box?.stop(action === 'kill' ? 1 : 1_000 * Number(url.searchParams.get('t') ?? 10));
      return null;
    }
    if (action === 'wait') return { StatusCode: (await container.box?.ended) ?? 0 };
    throw new NotFound(`${method} ${path} is not played`);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://docker');
    const [, , key = '', action] = url.pathname.replace(/^\/v[\d.]+/, '').split('/');
    const reply = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(value === null ? undefined : JSON.stringify(value));
    };
    try {
      if (action === 'logs') {
        await find(key).box?.ended;
        response.writeHead(200, { 'content-type': 'application/vnd.docker.raw-stream' });
        response.end(frame(readFileSync(`${join(files.boxes, key.slice(0, 12))}.log`)));
        return;
      }
      const value = await route(request.method ?? 'GET', url, await text(request));
      reply(url.pathname.endsWith('/create') ? 201 : value === null ? 204 : 200, value);
    } catch (error) {
      reply(error instanceof NotFound ? 404 : 500, { message: String(error) });
    }
  }
  const server = createServer((request, response) => void answer(request, response));
  server.unref();
  return new Promise((resolve) => server.listen(files.dockerSocket, resolve));
}

/** Docker puts a header of eight bytes before output: which stream, and how long. */
function frame(content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header[0] = 1;
  header.writeUInt32BE(content.length, 4);
  return Buffer.concat([header, content]);
}

const inspect = ({ id, name, request, box }: EngineContainer): unknown => ({
  Id: id,
  Name: `/${name}`,
  Image: request.Image,
  Config: { Image: request.Image, Labels: request.Labels, Tty: false, Env: request.Env },
  State: {
    Status: box === null ? 'created' : box.exitCode === null ? 'running' : 'exited',
    Running: box !== null && box.exitCode === null,
    ExitCode: box?.exitCode ?? 0,
    StartedAt: box?.startedAt ?? '0001-01-01T00:00:00Z',
  },
  NetworkSettings: { Networks: { bridge: { IPAddress: '127.0.0.1' } } },
  HostConfig: request.HostConfig,
});
