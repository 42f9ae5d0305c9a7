import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { EventBridgeEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MeteredModelCall } from '../../shared/contract/models/metered-call.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { deriveSpanId, deriveTraceId } from '../../shared/control/telemetry/planned-trace.ts';
import { buildTaskTrace } from '../../shared/control/telemetry/task-trace.ts';
import { taskToItem } from '../../shared/store/task-item.ts';
import * as build from '../support/builders.ts';
import { FUNCTION_ENV } from '../support/function-env-values.ts';
import { mockAwsClient } from '../support/mock-aws-client.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly status: { readonly code: number; readonly message?: string };
}
interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Span['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

const seen: { readonly path: string; readonly body: Body }[] = [];
let status = 200;
let collector: Server;
let handler: (event: EventBridgeEvent<string, unknown>) => Promise<void>;
const table = mockAwsClient(DynamoDBDocumentClient);

beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (status === 200)
        seen.push({ path: request.url ?? '', body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => {
    collector.listen(0, '127.0.0.1', resolve);
  });
  const { port } = collector.address() as AddressInfo;
  Object.assign(process.env, FUNCTION_ENV, {
    [FUNCTION_ENV_NAMES.otlpEndpoint]: `http://127.0.0.1:${port}/v1/traces`,
  });
  ({ handler } = await import('../../functions/traces/handler.ts'));
});
afterAll(() => {
  collector.closeAllConnections();
  collector.close();
});
beforeEach(() => {
  seen.length = 0;
  status = 200;
  kept = [];
  table.reset();
});

const nanos = (iso: string): string => `${Date.parse(iso)}000000`;
const at = (second: number): string => build.addSeconds(second).toISOString();
const usage = { input_tokens: 100, output_tokens: 20, cache_read_tokens: 30, cache_write_tokens: 0 };
const witnessed = {
  ...build.meteredUsage(),
  usage_by_model: { 'claude-haiku-4-5': usage },
  calls: 7,
  cost_usd: 0.02,
};
const first = build.attempt({
  number: 1,
  adapter: 'claude',
  model: 'claude-haiku-4-5',
  started_at: at(10),
  ended_at: at(100),
  outcome: 'failed',
  usage,
  metered_usage: witnessed,
  agent: build.launch({ launched_at: at(12) }),
  gates: build.launch({ launched_at: at(62) }),
  report: { ...build.report(), at: at(60) },
  verification: build.verification({
    at: at(95),
    duration_ms: 30_000,
    gates: [
      {
        ...build.gate({ name: 'lint', outcome: 'failed', duration_ms: 4_000 }),
        start_offset_ms: 500,
        finding_count: 2,
        facts: {},
      },
      { ...build.gate({ name: 'tests', duration_ms: 25_000 }), finding_count: 0, facts: {} },
    ],
  }),
});
const second = build.attempt({
  number: 2,
  adapter: 'codex',
  model: 'gpt-6',
  started_at: at(101),
  ended_at: at(200),
  outcome: 'passed',
});
const called = (
  id: string,
  from: number,
  to: number,
  fields: Partial<MeteredModelCall> = {},
): MeteredModelCall => ({
  ...{
    id,
    attempt: 1,
    caller: 'agent',
    protocol: 'anthropic',
    status: 200,
    cost_micro_usd: 2_000,
    provider_error: null,
  },
  ...{ model: 'claude-haiku-4-5', billed_model: 'claude-haiku-4-5', usage },
  started_at: at(from),
  ended_at: at(to),
  ...fields,
});
let kept: MeteredModelCall[] = [];
const done = (fields: Partial<Task> = {}): Task =>
  build.task({
    status: 'done',
    verified: true,
    attempts: [first, second],
    created_at: at(0),
    ended_at: at(201),
    ...fields,
  });
const tell = async (task: Task | null): Promise<void> => {
  table.on(GetCommand).resolves(task ? { Item: taskToItem(task) } : {});
  table.on(QueryCommand).resolves({ Items: kept.map((call) => ({ call })) });
  await handler({ detail: { task_id: 'T1' } } as EventBridgeEvent<string, unknown>);
};
const spans = (): Span[] =>
  seen.flatMap(({ body }) =>
    body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans)),
  );
const attributesOf = (span: Span | undefined): Record<string, unknown> =>
  Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
const named = (name: string): Span | undefined => spans().find((each) => each.name === name);

describe('the trace of a task', () => {
  it('tells of each judge from when it was asked, where that was written down', async () => {
    const by = { model: 'gemini-3-flash', family: 'google', calls: 1, duration_ms: 2_000 };
    const judgements = [
      build.judgement({ ...by, asked_at: at(110) }),
      build.judgement(by),
      build.judgement({ ...by, asked_at: at(199) }),
    ];
    await tell(done({ attempts: [first, { ...second, verdict: { ...build.verdict(), judgements } }] }));
    const judged = spans().filter(({ name }) => name === 'chat gemini-3-flash');
    expect(
      judged.map(({ startTimeUnixNano, endTimeUnixNano }) => [startTimeUnixNano, endTimeUnixNano]),
    ).toEqual([
      [nanos(at(110)), nanos(at(112))],
      [nanos(at(198)), nanos(at(200))],
      [nanos(at(199)), nanos(at(200))],
    ]);
    const estimated = judged.map((each) => attributesOf(each)['assay.start_estimated']);
    expect(estimated).toEqual([undefined, true, undefined]);
  });

  it('reaches a collector as one tree of attempts, boxes, gates and model calls', async () => {
    await tell(done());
    expect(seen.map(({ path }) => path)).toEqual(['/v1/traces']);
    const all = spans();
    expect(new Set(all.map(({ traceId }) => traceId))).toEqual(new Set([deriveTraceId('T1')]));
    const tree = (parent: string | undefined): unknown[] =>
      all
        .filter(({ parentSpanId }) => (parentSpanId || undefined) === parent)
        .map(({ name, spanId }) => [name, ...tree(spanId)]);
    expect(tree(undefined)).toEqual([
      [
        'task',
        [
          'invoke_agent claude',
          ['box agent', ['chat claude-haiku-4-5']],
          ['box gates', ['gate lint'], ['gate tests']],
        ],
        ['invoke_agent codex'],
      ],
    ]);
    expect(attributesOf(named('invoke_agent claude'))).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'claude',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-haiku-4-5',
      'gen_ai.usage.input_tokens': 130,
      'gen_ai.usage.output_tokens': 20,
      'assay.attempt.outcome': 'failed',
    });
    expect(attributesOf(named('invoke_agent codex'))['gen_ai.provider.name']).toBe('openai');
    // 3 is a client's span, 2 is an error.
    expect(named('chat claude-haiku-4-5')).toMatchObject({ kind: 3 });
    expect(attributesOf(named('chat claude-haiku-4-5'))).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'assay.model.calls': 7,
      'assay.model.cost_usd': 0.02,
    });
    expect(named('gate lint')?.status.code).toBe(2);
    expect(attributesOf(named('gate lint'))).toMatchObject({
      'error.type': 'failed',
      'assay.gate.findings': 2,
    });
    expect(named('gate tests')?.status.code).toBe(0);
    expect(attributesOf(named('task'))).toMatchObject({
      'assay.task.status': 'done',
      'assay.task.verified': true,
    });
    expect([named('task')?.startTimeUnixNano, named('task')?.endTimeUnixNano]).toEqual([
      nanos(at(0)),
      nanos(at(201)),
    ]);
  });

  it('has each call of a model where it was kept, below the box that made it, and says how many were left out', async () => {
    kept = [
      called('a', 20, 24),
      called('b', 30, 31, { status: 529, cost_micro_usd: 0, provider_error: 'provider_transient' }),
      called('c', 70, 72, {
        caller: 'gates',
        protocol: 'gemini',
        model: 'gemini-3',
        billed_model: 'gemini-3-001',
      }),
    ];
    await tell(done());
    const below = (name: string): string[] =>
      spans()
        .filter(({ parentSpanId }) => parentSpanId === named(name)?.spanId)
        .map((span) => span.name);
    expect(below('box agent')).toEqual(['chat claude-haiku-4-5', 'chat claude-haiku-4-5']);
    expect(below('box gates')).toContain('generate_content gemini-3');
    expect(attributesOf(named('box agent'))['assay.model.calls_left_out']).toBe(5);
    const [first, broken] = spans().filter(({ name }) => name === 'chat claude-haiku-4-5');
    expect([first?.startTimeUnixNano, first?.endTimeUnixNano]).toEqual([nanos(at(20)), nanos(at(24))]);
    expect(attributesOf(first)).toMatchObject({
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.usage.input_tokens': 130,
      'gen_ai.usage.output_tokens': 20,
      'assay.model.cost_usd': 0.002,
      'http.response.status_code': 200,
    });
    expect(attributesOf(first)['assay.start_estimated']).toBeUndefined();
    expect(broken?.status.code).toBe(2);
    expect(attributesOf(broken)['error.type']).toBe('provider_transient');
  });

  it('has gates from when they began, where their evidence says so', async () => {
    await tell(done());
    expect(named('gate lint')?.startTimeUnixNano).toBe(nanos(at(65.5)));
    expect(attributesOf(named('gate lint'))['assay.start_estimated']).toBeUndefined();
    expect(named('gate tests')?.startTimeUnixNano).toBe(nanos(at(65)));
    expect(attributesOf(named('gate tests'))['assay.start_estimated']).toBe(true);
  });

  it('is the same spans when it is told again', async () => {
    await tell(done());
    const once = spans();
    seen.length = 0;
    await tell(done());
    expect(spans()).toEqual(once);
    expect(once[0]?.spanId).toBe(deriveSpanId('T1'));
  });

  it('is thrown back while the collector takes nothing, so that it is told again', async () => {
    status = 400;
    await expect(tell(done())).rejects.toThrow();
    expect(seen).toEqual([]);
  });

  it('is not told of a task that goes on, or that is gone', async () => {
    await tell(done({ status: 'in_review', ended_at: null }));
    await tell(null);
    expect(seen).toEqual([]);
  });

  it('keeps each span within its task, with a parent that there is', () => {
    const all = buildTaskTrace(done())?.spans ?? [];
    const ids = new Set(all.map(({ spanId }) => spanId));
    expect(ids.size).toBe(all.length);
    for (const { parentId, start, end } of all) {
      if (parentId !== null) expect(ids).toContain(parentId);
      expect([start >= at(0), end <= at(201), start <= end]).toEqual([true, true, true]);
    }
  });
});
