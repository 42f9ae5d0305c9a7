import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { plainModel } from '../../shared/cascade/prices.ts';
import { billOf } from '../../shared/models/cost.ts';
import { type Reading, UNREAD, UsageReader } from '../../shared/models/reading.ts';
import { type Admitted, admit } from './admit.ts';
import type { Gateway } from './parts.ts';
import { type Answer, refuse } from './refusals.ts';
import { handedBack, type ModelRequest } from './request.ts';

export interface StreamedAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Readable | string;
}

/** Errors before anything was sent: what was never asked costs nothing. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

const codeOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return String(cause?.code ?? (error instanceof Error ? error.name : error));
};

const FREE: Reading = { ...UNREAD, input: 0, output: 0 };

/** The end of a call: once, whatever ends it. */
class Call {
  readonly #admitted: Admitted;
  readonly #gateway: Gateway;
  readonly #id = randomUUID();
  #settled: Promise<void> | null = null;

  constructor(admitted: Admitted, gateway: Gateway) {
    this.#admitted = admitted;
    this.#gateway = gateway;
  }

  async reserve(): Promise<boolean> {
    const { grant, route, reserved } = this.#admitted;
    return route.isFree || this.#gateway.meters.reserve(grant, this.#id, reserved, this.#gateway.now());
  }

  settle(status: number, reading: Reading): Promise<void> {
    this.#settled ??= this.#write(status, reading);
    return this.#settled;
  }

  async #write(status: number, reading: Reading): Promise<void> {
    const { grant, route, model, worst, reserved } = this.#admitted;
    if (route.isFree) return;
    const { now, meters, onCall, onProblem } = this.#gateway;
    const bill = billOf(reading, model, worst, now().toISOString());
    const isOther = bill.model !== plainModel(model);
    const settlement = { ...bill, mistaken: isOther ? `${plainModel(model)} > ${bill.model}` : null };
    const about = { task_id: grant.taskId, attempt: grant.attempt, model };
    try {
      await meters.settle(grant, this.#id, reserved, settlement);
    } catch (error) {
      // The reservation stays, and counts as spent.
      onProblem('a call could not be settled', { ...about, error: String(error) });
    }
    if (bill.micro === null) onProblem('a model has no price', { ...about, answered: bill.model });
    onCall({ ...about, protocol: route.protocol, status, settlement });
  }
}

/**
 * What passes, byte by byte and as fast as it is taken. The last bytes wait until the call is settled: so whoever has seen the end of an
 * answer finds it counted.
 */
async function* metered(body: AsyncIterable<Uint8Array>, reader: UsageReader, call: Call, status: number) {
  try {
    for await (const chunk of body) {
      reader.push(chunk);
      if (reader.isLast) await call.settle(status, reader.reading);
      yield chunk;
    }
  } finally {
    reader.end();
    await call.settle(status, reader.reading);
  }
}

async function send(admitted: Admitted, call: Call, gateway: Gateway): Promise<StreamedAnswer> {
  const { route, upstream } = admitted;
  const { protocol } = route;
  let response: Response;
  try {
    response = await fetch(upstream.url, {
      method: 'POST',
      headers: upstream.headers,
      body: new Uint8Array(upstream.body),
      redirect: 'manual',
      signal: AbortSignal.timeout(gateway.deadlineMs()),
    });
  } catch (error) {
    const code = codeOf(error);
    await call.settle(0, NOT_SENT.has(code) ? FREE : UNREAD);
    return code === 'TimeoutError' || code === 'UND_ERR_HEADERS_TIMEOUT'
      ? refuse(protocol, 'timeout', 'the provider has not answered in time')
      : refuse(protocol, 'unreachable', `the provider cannot be reached (${code})`);
  }
  const { status } = response;
  if (status < 200 || status >= 300) {
    // A provider charges nothing for a refusal.
    await call.settle(status, FREE);
    const own = ownAnswer(protocol, status);
    if (own) {
      await response.body?.cancel();
      return own;
    }
  }
  const headers = handedBack(response.headers);
  if (!response.body) {
    await call.settle(status, UNREAD);
    return { statusCode: status, headers, body: '' };
  }
  const reader = new UsageReader(protocol, response.headers.get('content-type') ?? '');
  return { statusCode: status, headers, body: Readable.from(metered(response.body, reader, call, status)) };
}

/** Some answers of a provider are about us and not about the client, and would mislead it. */
function ownAnswer(protocol: Admitted['route']['protocol'], status: number): Answer | null {
  if (status === 401)
    return refuse(protocol, 'provider', 'the provider does not take the key of this deployment');
  if (status >= 300 && status < 400)
    return refuse(protocol, 'unreachable', 'the provider redirects, which is not followed');
  return null;
}

/** One call of a model: checked, reserved, handed on, counted. */
export async function serve(request: ModelRequest, gateway: Gateway): Promise<StreamedAnswer> {
  const admitted = await admit(request, gateway);
  if ('statusCode' in admitted) return admitted;
  const call = new Call(admitted, gateway);
  if (await call.reserve()) return send(admitted, call, gateway);
  const limit = (admitted.grant.limitMicro / 1e6).toFixed(4);
  return refuse(admitted.route.protocol, 'spent', `the budget of this attempt is spent: $${limit}`);
}
