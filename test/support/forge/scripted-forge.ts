import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenApiContract } from './openapi-contract.ts';

type Json = Record<string, unknown>;
export interface ForgeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Json;
  readonly token: string;
}
/** Status and body; null: the server has no such route. */
export type ForgeScript = (asked: ForgeRequest) => readonly [status: number, body?: unknown] | null;

/** Reads a request to the API of a forge. */
export async function readForgeRequest(request: IncomingMessage): Promise<ForgeRequest> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const url = new URL(request.url ?? '/', 'http://forge.test');
  return {
    method: request.method ?? '',
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    body: text === '' ? {} : (JSON.parse(text) as Json),
    token: (request.headers.authorization ?? '').replace(/^Bearer /, ''),
  };
}

/** A server on loopback that answers as a script says, and remembers what it was asked. */
export class ScriptedForge {
  readonly requests: string[] = [];
  /** Answers of failure that come before the script's, each once. */
  readonly failures: number[] = [];
  /** What was asked or answered otherwise than published; `stop` throws it. */
  readonly violations: string[] = [];
  readonly #server: Server;

  private constructor(script: ForgeScript, contract: OpenApiContract | null) {
    this.#server = createServer(async (request, response) => {
      const asked = await readForgeRequest(request);
      this.requests.push(`${asked.method} ${asked.path}`);
      const failure = this.failures.shift();
      const [status, body] = failure ? [failure, {}] : (script(asked) ?? [404, { message: 'Not Found' }]);
      this.violations.push(...(contract?.check({ ...asked, status, answer: body }) ?? []));
      response.writeHead(status).end(body === undefined ? '' : JSON.stringify(body));
    });
  }

  static async start(script: ForgeScript, contract: OpenApiContract | null = null): Promise<ScriptedForge> {
    const forge = new ScriptedForge(script, contract);
    await new Promise<void>((resolve) => forge.#server.listen(0, '127.0.0.1', () => resolve()));
    return forge;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What would change something. */
  get listWrites(): string[] {
    return this.requests.filter((each) => !each.startsWith('GET '));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    if (this.violations.length > 0)
      throw new Error(`not as the forge's API is published:\n${[...new Set(this.violations)].join('\n')}`);
  }
}
