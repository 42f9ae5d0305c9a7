import { execFileSync, spawn } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import {
  type IncomingMessage,
  createServer as plainServer,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as secureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GITHUB_CONTRACT } from '../../support/forge/openapi-contract.ts';

/** What GitHub was asked for, and gave. */
export interface Given {
  readonly repositories: readonly string[];
  readonly permissions: Readonly<Record<string, string>>;
  readonly token: string;
}

const APP = { app_id: '4711', installation_id: '815' } as const;
const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return (server.address() as AddressInfo).port;
};
const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/**
 * Git over TLS, by a certificate of an authority that nobody knows, for whoever has a token that a scripted GitHub has given for that
 * repository: git's own server program, and the one call of GitHub's API that an App makes, with the key looked at.
 */
export class PrivateGit {
  readonly given: Given[] = [];
  /** `<method> <path> <status>` of every request of git. */
  readonly asked: string[] = [];
  /** What GitHub was asked or answered otherwise than published; `stop` throws it. */
  readonly violations: string[] = [];
  readonly certificate: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'assay-git-'));
  readonly #root: string;
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  readonly #git: Server;
  readonly #github: Server;
  #ports = { git: 0, github: 0 };

  private constructor(root: string) {
    this.#root = root;
    this.certificate = join(this.#folder, 'ca.pem');
    const key = join(this.#folder, 'key.pem');
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=DNS:localhost',
        '-keyout',
        key,
        '-out',
        this.certificate,
      ],
      { stdio: 'ignore' },
    );
    this.#git = secureServer(
      { key: readFileSync(key), cert: readFileSync(this.certificate) },
      (request, response) => this.#serveGit(request, response),
    );
    this.#github = plainServer((request, response) => void this.#serveGitHub(request, response));
  }

  /** Serves `<root>/<owner>/<name>.git`. */
  static async start(root: string): Promise<PrivateGit> {
    const server = new PrivateGit(root);
    server.#ports = { git: await listening(server.#git), github: await listening(server.#github) };
    return server;
  }

  url(path: string): string {
    return `https://localhost:${this.#ports.git}/${path}`;
  }

  /** The secret of a deployment that has the App on this owner. */
  secret(owner: string): string {
    const private_key = this.#keys.privateKey.export({ type: 'pkcs1', format: 'pem' });
    const api_url = `http://127.0.0.1:${this.#ports.github}`;
    return JSON.stringify({
      credentials: [{ url: this.url(owner), github_app: { ...APP, private_key, api_url } }],
    });
  }

  async stop(): Promise<void> {
    for (const server of [this.#git, this.#github]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    rmSync(this.#folder, { recursive: true, force: true });
    if (this.violations.length > 0)
      throw new Error(`not as GitHub's API is published:\n${this.violations.join('\n')}`);
  }

  /** May whoever sends this do it? The token is the password; it is for one repository, and for reading or writing. */
  #allows({ url = '', headers }: IncomingMessage): boolean {
    const [, password] = Buffer.from((headers.authorization ?? '').replace(/^Basic /, ''), 'base64')
      .toString()
      .split(':');
    const given = this.given.find(({ token }) => token === password);
    const name = url.split('/')[2]?.replace(/\.git$/, '') ?? '';
    const level = given?.permissions['contents'];
    return (
      !!given?.repositories.includes(name) &&
      (level === 'write' || (level === 'read' && !url.includes('receive-pack')))
    );
  }

  #serveGit(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://localhost');
    const say = (status: number) =>
      this.asked.push(`${request.method} ${pathname} ${searchParams.get('service') ?? ''} ${status}`);
    if (!this.#allows(request)) {
      say(401);
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    say(200);
    const { headers } = request;
    const child = spawn(
      'git',
      [
        '-c',
        'safe.directory=*',
        '-c',
        'uploadpack.allowFilter=true',
        '-c',
        'uploadpack.allowAnySHA1InWant=true',
        'http-backend',
      ],
      {
        env: {
          PATH: process.env['PATH'] ?? '',
          GIT_CONFIG_COUNT: '3',
          GIT_CONFIG_KEY_0: 'safe.directory',
          GIT_CONFIG_VALUE_0: '*',
          GIT_CONFIG_KEY_1: 'http.receivepack',
          GIT_CONFIG_VALUE_1: 'true',
          GIT_CONFIG_KEY_2: 'uploadpack.allowFilter',
          GIT_CONFIG_VALUE_2: 'true',
          GIT_PROJECT_ROOT: this.#root,
          GIT_HTTP_EXPORT_ALL: '1',
          REQUEST_METHOD: request.method ?? '',
          PATH_INFO: pathname,
          QUERY_STRING: searchParams.toString(),
          CONTENT_TYPE: headers['content-type'] ?? '',
          ...(headers['content-encoding'] && { HTTP_CONTENT_ENCODING: headers['content-encoding'] }),
          ...(headers['git-protocol'] && { GIT_PROTOCOL: String(headers['git-protocol']) }),
          REMOTE_USER: 'assay',
        },
        stdio: ['pipe', 'pipe', 'ignore'],
      },
    );
    child.stdin.on('error', () => {});
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', () => {
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf('\r\n\r\n');
      const lines = answer
        .subarray(0, end)
        .toString()
        .split('\r\n')
        .map((line) => line.split(': ', 2) as [string, string]);
      const status = lines.find(([name]) => name === 'Status')?.[1];
      response.writeHead(
        Number(status?.slice(0, 3) ?? 200),
        Object.fromEntries(lines.filter(([name]) => name !== 'Status')),
      );
      response.end(answer.subarray(end + 4));
    });
  }

  async #serveGitHub(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const body = await bodyOf(request);
    if (!this.#isApp(request.headers.authorization ?? ''))
      return void answer(401, { message: 'no such App' });
    if (
      request.method !== 'POST' ||
      request.url !== `/app/installations/${APP.installation_id}/access_tokens`
    )
      return void answer(404, { message: 'Not Found' });
    const asked = JSON.parse(body.toString()) as Pick<Given, 'repositories' | 'permissions'>;
    const token = `ghs_${randomBytes(18).toString('hex')}`;
    this.given.push({ ...asked, token });
    const made = {
      token,
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      permissions: { ...asked.permissions, metadata: 'read' },
      repositories: asked.repositories.map((name) => ({ name })),
    };
    const exchange = { method: 'POST', path: request.url ?? '', query: new URLSearchParams(), status: 201 };
    this.violations.push(...GITHUB_CONTRACT.check({ ...exchange, body: { ...asked }, answer: made }));
    answer(201, made);
  }

  /** A JWT that is signed with RS256 by the App's key, and good now for at most ten minutes. */
  #isApp(authorization: string): boolean {
    const [head = '', claims = '', signature = ''] = authorization.replace(/^Bearer /, '').split('.');
    const read = (part: string) =>
      JSON.parse(Buffer.from(part, 'base64url').toString() || '{}') as Record<string, unknown>;
    const { iss, iat, exp } = read(claims);
    const now = Date.now() / 1_000;
    return (
      read(head)['alg'] === 'RS256' &&
      iss === APP.app_id &&
      Number(iat) <= now &&
      Number(exp) > now &&
      Number(exp) - Number(iat) <= 600 &&
      verify(
        'RSA-SHA256',
        Buffer.from(`${head}.${claims}`),
        createPublicKey(this.#keys.publicKey.export({ type: 'spki', format: 'pem' })),
        Buffer.from(signature, 'base64url'),
      )
    );
  }
}
