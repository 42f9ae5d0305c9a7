import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ROUTES, type RouteDefinition, type RouteName } from '../../shared/api/routes.ts';

export interface Call {
  readonly route: RouteName;
  readonly body: Record<string, unknown>;
}

/** Answers instead of the usual 200, e.g. to refuse a heartbeat. */
export type Answer = (call: Call) => { readonly status: number; readonly body: unknown } | null;

export interface FakeApi {
  readonly url: string;
  readonly token: string;
  readonly calls: Call[];
  /** Objects by path, as the bucket would hold them. */
  readonly objects: Map<string, Buffer>;
  answer: Answer;
  /** Resolves with the first call of a route, past or future. */
  called(route: RouteName): Promise<Call>;
  bodies(route: RouteName): Record<string, unknown>[];
  stop(): Promise<void>;
}

const TASK_ROUTES = (Object.keys(ROUTES) as RouteName[]).filter(
  (name) => ROUTES[name].method === 'POST' && ROUTES[name].path.startsWith('/tasks/{id}/'),
);

/** The API and the bucket as a box sees them. Bodies are checked against the route table; a bad one answers 422. */
export async function startFakeApi(): Promise<FakeApi> {
  const calls: Call[] = [];
  const objects = new Map<string, Buffer>();
  const waiting = new Map<RouteName, ((call: Call) => void)[]>();
  const server = createServer((request, response) => {
    void (async () => {
      const body = await read(request);
      const path = request.url ?? '';
      const send = (status: number, content: unknown): void => {
        const etag = Buffer.isBuffer(content) ? { etag: etagOf(content) } : {};
        response.writeHead(status, { 'content-type': 'application/json', ...etag });
        response.end(Buffer.isBuffer(content) ? content : JSON.stringify(content));
      };
      if (request.method === 'PUT') {
        const { 'if-match': match, 'if-none-match': none } = request.headers;
        const there = objects.get(path);
        if (none !== undefined && there) return send(412, {});
        if (match !== undefined && (!there || match !== etagOf(there))) return send(412, {});
        const digest = request.headers['x-amz-checksum-sha256'];
        if (digest !== undefined && digest !== createHash('sha256').update(body).digest('base64'))
          return send(400, {});
        objects.set(path, body);
        return send(200, {});
      }
      if (request.method === 'DELETE') {
        if (path.endsWith('?refused')) return send(403, {});
        objects.delete(path);
        return send(204, '');
      }
      if (request.method === 'GET') {
        const found = objects.get(path);
        return found ? send(200, found) : send(404, {});
      }
      const route = TASK_ROUTES.find((name) => path.endsWith(ROUTES[name].path.replace('/tasks/{id}', '')));
      if (!route) return send(404, { code: 'not_found', detail: path });
      if (request.headers.authorization !== `Bearer ${api.token}`)
        return send(401, { code: 'unauthenticated', detail: 'no' });
      const schema = (ROUTES[route] as RouteDefinition).body;
      const parsed = schema?.safeParse(JSON.parse(body.toString('utf8')));
      if (parsed && !parsed.success) return send(422, { code: 'invalid', detail: parsed.error.message });
      const call: Call = { route, body: parsed?.data as Record<string, unknown> };
      calls.push(call);
      for (const wake of waiting.get(route) ?? []) wake(call);
      const other = api.answer(call);
      if (other) return send(other.status, other.body);
      if (route === 'upload')
        return send(200, {
          url: `${api.url}/objects/${String(call.body['kind'])}`,
          method: 'PUT',
          headers: {
            'if-none-match': '*',
            'x-amz-checksum-sha256': Buffer.from(String(call.body['sha256']), 'hex').toString('base64'),
          },
          expires_s: 60,
        });
      if (route === 'memory') {
        const place = `${api.url}/memory/${String(call.body['kind'])}-${String(call.body['hash'])}`;
        return send(200, { get: place, put: place, expires_s: 60 });
      }
      return send(200, {});
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const api: FakeApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'assay_test_token',
    calls,
    objects,
    answer: () => null,
    called: (route) => {
      const past = calls.find((call) => call.route === route);
      if (past) return Promise.resolve(past);
      return new Promise((resolve) => waiting.set(route, [...(waiting.get(route) ?? []), resolve]));
    },
    bodies: (route) => calls.filter((call) => call.route === route).map((call) => call.body),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return api;
}

const etagOf = (content: Buffer): string => `"${createHash('md5').update(content).digest('hex')}"`;

async function read(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
