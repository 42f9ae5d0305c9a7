import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { bundlePage } from '../../../infra/build-page.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';

export const TOKEN = 'assay_op_test';

/** What is answered to `GET <path>` or `POST <path>`: a body, or a status and a body. */
export type Answer = (request: {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}) => {
  readonly status?: number;
  readonly etag?: string;
  readonly body: unknown;
};

export interface ScriptedApi {
  readonly url: string;
  /** By `GET /tasks`; the longest beginning of a path counts. */
  readonly answers: Map<string, Answer>;
  /** `GET /status 304` and so on, in the order in which they came. */
  readonly log: string[];
  /** What was sent with POST, by path. */
  readonly sent: { readonly path: string; readonly body: unknown; readonly ifMatch: string | undefined }[];
  /** Nobody answers while this is true: connections are cut. */
  away: boolean;
  /** The token is refused as API Gateway does it. */
  over: boolean;
  close(): Promise<void>;
}

type PageHandler = (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>;

/** The handler that serves the page, over a folder with the bundle, as Lambda has it. */
export async function pageHandler(): Promise<{ readonly handler: PageHandler; readonly folder: string }> {
  const folder = mkdtempSync(join(createTemporaryFolder(), 'page-'));
  for (const [name, content] of await bundlePage(join(import.meta.dirname, '../../..')))
    writeFileSync(join(folder, name), content);
  process.env['LAMBDA_TASK_ROOT'] = folder;
  const { handler } = await import('../../../functions/page/handler.ts');
  return { handler: handler as PageHandler, folder };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** Serves the page as the deployment does, and an API beside it that says what it is told to. */
export async function scriptedApi(): Promise<ScriptedApi> {
  const { handler } = await pageHandler();
  const api = {
    url: '',
    answers: new Map<string, Answer>(),
    log: [] as string[],
    sent: [] as { path: string; body: unknown; ifMatch: string | undefined }[],
    away: false,
    over: false,
    close: () => new Promise<void>((done) => server.close(() => done())),
  };
  const json = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://page.test');
    const file = /^\/page\/([^/]+)$/.exec(url.pathname)?.[1];
    if (url.pathname === '/' || file !== undefined) {
      const event = { headers: request.headers, ...(file && { pathParameters: { file } }) };
      const served = await handler(event as unknown as APIGatewayProxyEventV2);
      response.writeHead(served.statusCode ?? 200, served.headers as Record<string, string>);
      response.end(Buffer.from(served.body ?? '', served.isBase64Encoded ? 'base64' : 'utf8'));
      return;
    }
    if (api.away) {
      request.socket.destroy();
      return;
    }
    const key = `${request.method} ${url.pathname}`;
    if (api.over || request.headers.authorization !== `Bearer ${TOKEN}`) {
      api.log.push(`${key} 403`);
      return json(response, 403, { message: 'Forbidden' });
    }
    const body = await bodyOf(request);
    if (request.method === 'POST')
      api.sent.push({ path: url.pathname, body, ifMatch: request.headers['if-match'] });
    const found = [...api.answers]
      .filter(([each]) => key.startsWith(each))
      .sort(([a], [b]) => b.length - a.length)[0];
    if (!found) {
      api.log.push(`${key} 404`);
      return json(response, 404, {
        code: 'not_found',
        detail: `there is no ${url.pathname}`,
        title: 'Not found',
      });
    }
    const said = found[1]({ path: url.pathname, query: url.searchParams, body });
    const same = said.etag !== undefined && request.headers['if-none-match'] === said.etag;
    api.log.push(`${key} ${same ? 304 : (said.status ?? 200)}`);
    if (same) {
      response.writeHead(304, { etag: said.etag });
      response.end();
      return;
    }
    json(response, said.status ?? 200, said.body, said.etag ? { etag: said.etag } : {});
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => json(response, 500, { message: String(error) }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return api;
}
