import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { ModelCallRecord, ModelGatewayContext } from '../../../functions/models/gateway-context.ts';
import { serveModelCall } from '../../../functions/models/serve-call.ts';
import { mintModelToken } from '../../../shared/contract/access/tokens.ts';
import { DEFAULT_TIER_MODELS } from '../../../shared/contract/agents/tiers.ts';
import type { MeteredModelCall } from '../../../shared/contract/models/metered-call.ts';
import type { ModelProviders } from '../../../shared/contract/models/model-providers.ts';
import type { Task } from '../../../shared/contract/task/task.ts';
import { MAX_CONSECUTIVE_PROVIDER_FAILURES } from '../../../shared/control/model-gateway/provider-failure.ts';
import type {
  CallReservationResult,
  ModelCallSettlement,
  UsageMeter,
} from '../../../shared/control/model-gateway/usage-meter.ts';
import { sha256 } from '../../../shared/lib/sha256.ts';
import { attempt, task } from '../../support/builders.ts';

export const NOW = new Date('2026-11-22T12:00:00.000Z');
export const LIVE = Math.floor(NOW.getTime() / 1_000) + 60;
export const TOKEN = mintModelToken('T1', 1);
export const ATTEMPT_CHECK_MS = 20;

/** A task whose attempt 1 runs on the cheapest tier and has a model token. */
export const running = (
  changes: Parameters<typeof attempt>[0] = {},
  fields: Parameters<typeof task>[0] = {},
): Task =>
  task({
    id: 'T1',
    status: 'in_progress',
    ...fields,
    attempts: [
      attempt({
        number: 1,
        model: 'claude-haiku-4-5',
        tier: 'haiku',
        outcome: null,
        report: null,
        lease_until: LIVE,
        agent: {
          number: 1,
          token_sha256: '',
          model_token_sha256: sha256(TOKEN),
          assignment_key: 'k',
          lost: false,
          launched_at: NOW.toISOString(),
        },
        ...changes,
      }),
    ],
  });

/** A meter in memory, with the rules of the table's. */
export function memoryMeter() {
  const open = new Map<string, number>();
  const settled: ModelCallSettlement[] = [];
  let taken = 0;
  let reserved = 0;
  let trouble: UsageMeter['providerFailure'] = null;
  return {
    settled,
    get taken() {
      return taken;
    },
    /** What was set aside for all calls together. */
    get reserved() {
      return reserved;
    },
    meter: (): UsageMeter => ({
      calls: open.size + settled.length,
      settled: settled.reduce((sum, { micro }) => sum + (micro ?? 0), 0),
      estimated: settled.reduce((sum, { estimated }) => sum + estimated, 0),
      unpriced: settled.filter(({ micro }) => micro === null).length,
      openReservations: [...open.values()],
      models: {},
      substitution: null,
      providerFailure: trouble,
    }),
    async reserve(of: { limitMicro: number }, call: string, worst: number): Promise<CallReservationResult> {
      if ((trouble?.calls ?? 0) >= MAX_CONSECUTIVE_PROVIDER_FAILURES) return 'failing';
      if (taken >= of.limitMicro) return 'spent';
      taken += worst;
      reserved += worst;
      open.set(call, worst);
      return 'made';
    },
    async settle(_of: unknown, call: string, worst: number, settlement: ModelCallSettlement): Promise<void> {
      if (!open.delete(call)) return;
      settled.push(settlement);
      const { end } = settlement;
      if (typeof end === 'object') trouble = { ...end, calls: (trouble?.calls ?? 0) + 1 };
      else if (end === 'well') trouble = null;
      if (settlement.micro !== null) taken += settlement.micro - worst;
    },
  };
}

/** The gateway behind a real HTTP server, as its function URL would be. */
export async function startGateway(
  providers: ModelProviders,
  options: {
    readonly task?: Task | null;
    readonly opinions?: ModelGatewayContext['gatesModels'];
    readonly deadlineMs?: number;
    readonly maxAttemptUsd?: number;
    readonly money?: NonNullable<ModelGatewayContext['budget']>;
    readonly keepFails?: boolean;
    readonly reserveFails?: boolean;
    readonly prices?: NonNullable<ModelGatewayContext['prices']>;
  } = {},
) {
  const meter = memoryMeter();
  const calls: ModelCallRecord[] = [];
  const kept: MeteredModelCall[] = [];
  const problems: string[] = [];
  let present = options.task === undefined ? running() : options.task;
  const gateway: ModelGatewayContext = {
    tasks: { get: async () => present },
    meters: options.reserveFails ? { ...meter, reserve: () => Promise.reject(new Error('no table')) } : meter,
    challengerModels: [],
    callStore: {
      record: async (_task, call) => {
        kept.push(call);
        if (options.keepFails) throw new Error('no table');
      },
    },
    providers,
    gatesModels: options.opinions ?? [],
    ...(options.money && { budget: options.money }),
    ...(options.prices && { prices: options.prices }),
    tiers: DEFAULT_TIER_MODELS,
    maxAttemptUsd: options.maxAttemptUsd ?? 25,
    now: () => NOW,
    deadlineMs: () => options.deadlineMs ?? 20_000,
    attemptCheckMs: ATTEMPT_CHECK_MS,
    onCall: (call) => calls.push(call),
    onProblem: (message) => problems.push(message),
  };
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const [path = '', query = ''] = (request.url ?? '/').split('?');
    const { statusCode, headers, body } = await serveModelCall(
      {
        method: request.method ?? 'GET',
        path,
        headers: Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        ),
        query: Object.fromEntries(new URLSearchParams(query)),
        body: Buffer.concat(chunks),
      },
      gateway,
    );
    response.writeHead(statusCode, headers);
    if (typeof body === 'string') response.end(body);
    else await pipeline(body, response);
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    meter,
    calls,
    kept,
    problems,
    setTask: (next: Task | null) => {
      present = next;
    },
    /** A call as a client makes it. */
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
