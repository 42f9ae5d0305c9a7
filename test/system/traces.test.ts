import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PublishedEvents } from '../../local/events/index.ts';
import { deriveSpanId, deriveTraceId } from '../../shared/control/telemetry/planned-trace.ts';
import { type ModelServer, startModelServer } from '../support/models/model-server.ts';
import { calls } from './support/model-call.ts';
import { agent, PROJECT, Repository, RIGHT, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}
interface Body {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

let stack: Stack;
let repository: Repository;
let collector: Server;
let models: ModelServer;
const spans: Span[] = [];
/** Called when spans have come. */
let came = (): void => {};

beforeAll(async () => {
  repository = new Repository(PROJECT);
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Body;
      spans.push(...body.resourceSpans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      came();
    });
  });
  await new Promise<void>((resolve) => {
    collector.listen(0, '127.0.0.1', resolve);
  });
  const { port } = collector.address() as AddressInfo;
  // Half a minute of synthesis, once: the address is part of the template.
  models = await startModelServer();
  stack = await Stack.start({ ANTHROPIC_API_KEY: 'sk-ant-scripted', ANTHROPIC_BASE_URL: models.url }, [], {
    otlpEndpoint: `http://127.0.0.1:${port}/v1/traces`,
    recordEvents: '["verification_nudges","file_touches"]',
  });
});
afterAll(async () => {
  await stack.stop();
  await models.stop();
  collector.closeAllConnections();
  collector.close();
  repository.remove();
});

describe('a deployment with a collector', () => {
  it('tells it of a task that has ended, with the box and the gates of its attempt, the same however often the stream comes', async () => {
    await stack.faults({ duplicateStream: true });
    const arrived = new Promise<void>((resolve) => {
      came = resolve;
    });
    const { id } = await stack.submit({
      title: 'Make sum add',
      repository: repository.url,
      adapter: agent(`{ ${calls()} } { ${calls()} } ${writes('src/sum.js', RIGHT)}`),
    });
    await stack.ended(id);
    await stack.control('POST', '/drain');
    await arrived;
    const own = [...new Map(spans.map((each) => [each.spanId, each])).values()];
    expect(new Set(own.map(({ traceId }) => traceId))).toEqual(new Set([deriveTraceId(id)]));
    expect(own.find(({ name }) => name === 'task')?.spanId).toBe(deriveSpanId(id));
    const names = own.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['task', 'invoke_agent command', 'box agent', 'box gates']));
    expect(names.some((name) => name.startsWith('gate '))).toBe(true);
    const box = own.find(({ name }) => name === 'box agent');
    const asked = own.filter(({ parentSpanId }) => parentSpanId === box?.spanId);
    expect(asked.map(({ name }) => name)).toEqual(['chat claude-haiku-4-5', 'chat claude-haiku-4-5']);
    expect(Number(asked[1]?.startTimeUnixNano)).toBeGreaterThanOrEqual(Number(asked[0]?.endTimeUnixNano));
    const ids = new Set(own.map(({ spanId }) => spanId));
    for (const { parentSpanId } of own) if (parentSpanId) expect(ids).toContain(parentSpanId);
    // Records that were asked for are events, too, and no others.
    const { events } = (await stack.control('GET', '/events')) as PublishedEvents;
    const records = events.filter((each) => each['detail-type'].startsWith('Record '));
    const told = new Set(records.map((each) => `${each['detail-type']} ${each.detail['event_id']}`));
    expect([...told].sort()).toEqual([
      `Record file_touches file_touches#${id}#1#file#0`,
      `Record verification_nudges verification_nudges#${id}#1`,
    ]);
  });
});
