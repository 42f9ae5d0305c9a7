import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { createDemoRepository, type DemoRepository } from '../../../cli/demo/demo-repository.ts';
import type { TOOLCHAINS } from '../../../infra/images.ts';
import { FakeGitHub } from '../../../test/support/forge/fake-github.ts';
import { readForgeRequest } from '../../../test/support/forge/scripted-forge.ts';
import { FORGE_ADDRESS, FORGE_HOST, type RunFiles } from '../machine/run-environment.ts';

/** Who may push; everybody may read. */
export const PUSH_TOKEN = 'the-token-that-may-push';
const AUTHORIZED = `Basic ${Buffer.from(`x-access-token:${PUSH_TOKEN}`).toString('base64')}`;
export const FORGE_URL = `https://${FORGE_HOST}/acme`;
/** The forge's API, which is GitHub's. */
export const FORGE_API_URL = `https://${FORGE_HOST}/api/v3`;
export const REPOSITORY_URL = `${FORGE_URL}/shop.git`;

/** Branch whose gates run the tools of a toolchain, in its image. */
export const TOOLCHAIN_BRANCH = 'toolchain';
/**
 * Name of the toolchain's image in the deployment, whatever the toolchain. With a name of four letters a family of task
 * definitions has 40 characters, which checkov takes for a secret key.
 */
export const TOOLCHAIN_IMAGE = 'built';
/** Command that fails where a toolchain's image lacks a tool that gates run. */
const TOOLCHAIN_TOOLS: Readonly<Record<(typeof TOOLCHAINS)[number], string>> = {
  node: 'npm --version && chromium --version',
  python: 'python --version && pip --version && python -m venv /tmp/venv',
  go: 'go version && gofmt -h',
  rust: 'cargo clippy --version && cargo fmt --version && rustc --version',
};

function addToolchainBranch(repository: DemoRepository, toolchain: (typeof TOOLCHAINS)[number]): void {
  const work = `${repository.folder}.toolchain`;
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=Demo', '-c', 'user.email=demo@example.com', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  git('clone', '--quiet', '--branch', 'next', repository.folder, work);
  const gates = { enabled: true, lint: true, lint_command: TOOLCHAIN_TOOLS[toolchain] };
  writeFileSync(
    join(work, 'assay.yaml'),
    JSON.stringify({ version: 1, image: TOOLCHAIN_IMAGE, quality_gates: gates }),
  );
  git('-C', work, 'commit', '--quiet', '--all', '--message', `Run the gates on the toolchain ${toolchain}`);
  git('-C', work, 'push', '--quiet', 'origin', `HEAD:refs/heads/${TOOLCHAIN_BRANCH}`);
  rmSync(work, { recursive: true, force: true });
}

export const getShopRepositoryPath = (files: RunFiles): string => join(files.forge, 'acme/shop.git');

/**
 * Starts a forge with the demo's repository: git's own server behind HTTPS, which asks for a token before anything is written,
 * and GitHub's API for pull requests.
 */
export async function startGitForge(
  files: RunFiles,
  toolchain: (typeof TOOLCHAINS)[number] | null,
): Promise<DemoRepository> {
  mkdirSync(join(files.forge, 'acme'), { recursive: true });
  const repository = createDemoRepository(getShopRepositoryPath(files));
  if (toolchain !== null) addToolchainBranch(repository, toolchain);
  const gitHub = new FakeGitHub((token) => token === PUSH_TOKEN);
  const server = createServer(
    { cert: readFileSync(files.certificate), key: readFileSync(files.key) },
    (request, response) =>
      request.url?.startsWith('/api/v3/')
        ? void answerApi(gitHub, request, response)
        : serve(files.forge, request, response),
  );
  server.unref();
  await new Promise<void>((resolve) => server.listen(443, FORGE_ADDRESS, resolve));
  return repository;
}

async function answerApi(
  { script }: FakeGitHub,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = await readForgeRequest(request);
  const [status, body = {}] = script({ ...asked, path: asked.path.slice('/api/v3'.length) }) ?? [404];
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
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
