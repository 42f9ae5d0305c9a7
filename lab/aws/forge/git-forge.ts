import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { createDemoRepository, type DemoRepository } from '../../../cli/demo/demo-repository.ts';
import { FORGE_ADDRESS, FORGE_HOST, type RunFiles } from '../machine/run-environment.ts';

/** Who may push; everybody may read. */
export const PUSH_TOKEN = 'the-token-that-may-push';
const AUTHORIZED = `Basic ${Buffer.from(`x-access-token:${PUSH_TOKEN}`).toString('base64')}`;
export const FORGE_URL = `https://${FORGE_HOST}/acme`;
export const REPOSITORY_URL = `${FORGE_URL}/shop.git`;

export const getShopRepositoryPath = (files: RunFiles): string => join(files.forge, 'acme/shop.git');

/** A forge with the demo's repository: git's own server behind HTTPS, which asks for a token before anything is written. */
export async function startGitForge(files: RunFiles): Promise<DemoRepository> {
  mkdirSync(join(files.forge, 'acme'), { recursive: true });
  const repository = createDemoRepository(getShopRepositoryPath(files));
  const server = createServer(
    { cert: readFileSync(files.certificate), key: readFileSync(files.key) },
    (request, response) => serve(files.forge, request, response),
  );
  server.unref();
  await new Promise<void>((resolve) => server.listen(443, FORGE_ADDRESS, resolve));
  return repository;
}

/** One request, as CGI (RFC 3875) to `git http-backend`. */
function serve(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', FORGE_URL);
  const writes = `${url.pathname}${url.search}`.includes('git-receive-pack');
  if (writes && request.headers.authorization !== AUTHORIZED) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="forge"' }).end();
    return;
  }
  const git = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'] ?? '',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      // As at the forges that people use: pushes over HTTPS, and partial clones.
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'http.receivepack',
      GIT_CONFIG_VALUE_0: 'true',
      GIT_CONFIG_KEY_1: 'uploadpack.allowFilter',
      GIT_CONFIG_VALUE_1: 'true',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      REMOTE_USER: writes ? 'assay' : '',
      REMOTE_ADDR: '127.0.0.1',
    },
  });
  request.pipe(git.stdin);
  git.stdin.on('error', () => {});
  const chunks: Buffer[] = [];
  git.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  git.once('close', () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    const fields = output
      .subarray(0, Math.max(end, 0))
      .toString('latin1')
      .split('\r\n')
      .map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      });
    const status = fields.find(([name]) => name === 'Status')?.[1];
    response.writeHead(end < 0 ? 500 : Number(status?.slice(0, 3) ?? 200), Object.fromEntries(fields));
    response.end(output.subarray(end + 4));
  });
}
