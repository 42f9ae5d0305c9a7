import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describeModelNotOffered, isModelNotOffered } from '../../shared/contract/models/bedrock-models.ts';
import type { MeteredModelCall } from '../../shared/contract/models/metered-call.ts';
import { pricedModelName } from '../../shared/contract/models/model-prices.ts';
import { computeModelCallCost } from '../../shared/control/model-gateway/call-cost.ts';
import {
  BROKEN_CONNECTION_FAILURE,
  classifyCallResult,
  MAX_CONSECUTIVE_PROVIDER_FAILURES,
  type ProviderCallOutcome,
} from '../../shared/control/model-gateway/provider-failure.ts';
import type {
  CallReservationResult,
  ModelCallSettlement,
} from '../../shared/control/model-gateway/usage-meter.ts';
import {
  EMPTY_MODEL_ANSWER_USAGE,
  type ModelAnswerUsage,
  ModelAnswerUsageReader,
} from '../../shared/control/model-gateway/usage-reader.ts';
import { type AdmittedModelCall, admitModelCall } from './admit-call.ts';
import type { ModelGatewayContext } from './gateway-context.ts';
import { createGatewayRefusalResponse, type ModelGatewayResponse } from './gateway-refusals.ts';
import { type ModelRequest, selectReturnedHeaders } from './model-request.ts';

export interface StreamedModelResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Readable | string;
}

/** Names the fields of a request that were not sent. */
const DROPPED_FIELDS_HEADER = 'x-assay-dropped-fields';

/** Errors before anything was sent: what was never asked costs nothing. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
/**
 * Errors of a connection that ended before the first byte of an answer. A stream had not begun; a whole answer may have been computed, and
 * billed, before its first byte.
 */
const NOT_STREAMED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
/** How often a running call looks whether its attempt has ended: neither DynamoDB nor a client's disconnect wakes a function. */
const ATTEMPT_CHECK_MS = 5_000;

const codeOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return String(cause?.code ?? (error instanceof Error ? error.name : error));
};

const FREE_USAGE: ModelAnswerUsage = { ...EMPTY_MODEL_ANSWER_USAGE, input: 0, output: 0 };

/** The end of a call: once, whatever ends it. */
class ModelCall {
  readonly #admitted: AdmittedModelCall;
  readonly #gateway: ModelGatewayContext;
  readonly #id = randomUUID();
  readonly #started: string;
  readonly #ended = new AbortController();
  #check: NodeJS.Timeout | undefined;
  #settled: Promise<void> | null = null;

  constructor(admitted: AdmittedModelCall, gateway: ModelGatewayContext) {
    this.#admitted = admitted;
    this.#gateway = gateway;
    this.#started = gateway.now().toISOString();
  }

  /** Fires when the caller's attempt has ended: the call is of no use any more, and may block a small server. */
  get attemptEnded(): AbortSignal {
    return this.#ended.signal;
  }

  /** Looks at the attempt until the call is settled. */
  #watchAttempt(): void {
    this.#check = setInterval(() => {
      this.#admitted.isLive().then(
        (isLive) => (isLive ? undefined : this.#ended.abort()),
        () => undefined,
      );
    }, this.#gateway.attemptCheckMs ?? ATTEMPT_CHECK_MS);
    this.#check.unref();
  }

  async reserve(): Promise<CallReservationResult> {
    const { grant, route, reservedMicro } = this.#admitted;
    const { meters, now } = this.#gateway;
    const result = route.isFree ? 'made' : await meters.reserve(grant, this.#id, reservedMicro, now());
    if (result === 'made') this.#watchAttempt();
    return result;
  }

  settle(status: number, reading: ModelAnswerUsage, end: ProviderCallOutcome): Promise<void> {
    clearInterval(this.#check);
    this.#settled ??= this.#write(status, reading, end);
    return this.#settled;
  }

  async #write(status: number, reading: ModelAnswerUsage, end: ProviderCallOutcome): Promise<void> {
    const { grant, route, model, worstCase, reservedMicro, price, droppedFields } = this.#admitted;
    if (route.isFree) return;
    const { now, meters, onCall, onProblem, prices = {} } = this.#gateway;
    const bill = computeModelCallCost(reading, model, worstCase, now().toISOString(), price, prices);
    const asked = pricedModelName(model, prices);
    const mistaken = bill.model === asked ? null : `${asked} > ${bill.model}`;
    const settlement = { ...bill, substitution: mistaken, end };
    const about = { task_id: grant.taskId, attempt: grant.attempt, model };
    await Promise.all([
      meters.settle(grant, this.#id, reservedMicro, settlement).catch((error: unknown) =>
        // The reservation stays, and counts as spent.
        onProblem('a call could not be settled', { ...about, error: String(error) }),
      ),
      this.#keep(status, settlement),
    ]);
    if (bill.micro === null) onProblem('a model has no price', { ...about, answered: bill.model });
    onCall({ ...about, protocol: route.protocol, status, dropped_fields: droppedFields, settlement });
  }

  /** Beside the settling, which it neither waits for nor is waited for longer than. A call that is not kept is one that traces count only. */
  async #keep(status: number, { model: answered, usage, micro, end }: ModelCallSettlement): Promise<void> {
    const { grant, route, model } = this.#admitted;
    const { callStore, now, onProblem } = this.#gateway;
    const call: MeteredModelCall = {
      ...{ id: this.#id, attempt: grant.attempt, caller: grant.caller, protocol: route.protocol },
      ...{ model, billed_model: answered, status, usage, cost_micro_usd: micro },
      started_at: this.#started,
      ended_at: now().toISOString(),
      provider_error: typeof end === 'object' ? end.code : null,
    };
    await callStore
      ?.record(grant.taskId, call, now())
      .catch((error: unknown) =>
        onProblem('a call could not be kept', { task_id: grant.taskId, error: String(error) }),
      );
  }
}

/**
 * What passes, byte by byte and as fast as it is taken. The last bytes wait until the call is settled: so whoever has seen the end of an
 * answer finds it counted.
 */
async function* meteredStream(
  body: AsyncIterable<Uint8Array>,
  reader: ModelAnswerUsageReader,
  call: ModelCall,
  status: number,
) {
  // Until something else is known: a client that goes away says nothing of the provider.
  let end: ProviderCallOutcome = 'unknown';
  try {
    for await (const chunk of body) {
      reader.push(chunk);
      if (reader.hasFinalUsage) await call.settle(status, reader.reading, 'well');
      yield chunk;
    }
    end = reader.isComplete ? 'well' : BROKEN_CONNECTION_FAILURE;
  } catch (error) {
    end = call.attemptEnded.aborted ? 'unknown' : BROKEN_CONNECTION_FAILURE;
    throw error;
  } finally {
    reader.end();
    await call.settle(status, reader.readingWithBytes, end);
  }
}

async function send(
  admitted: AdmittedModelCall,
  call: ModelCall,
  gateway: ModelGatewayContext,
): Promise<StreamedModelResponse> {
  const { route, upstream, droppedFields } = admitted;
  const { protocol } = route;
  let response: Response;
  try {
    response = await fetch(upstream.url, {
      method: 'POST',
      headers: upstream.headers,
      body: new Uint8Array(upstream.body),
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(gateway.deadlineMs()), call.attemptEnded]),
    });
  } catch (error) {
    const code = codeOf(error);
    if (call.attemptEnded.aborted) {
      await call.settle(0, EMPTY_MODEL_ANSWER_USAGE, 'unknown');
      return createGatewayRefusalResponse(protocol, 'ended', 'the attempt has ended, and with it this call');
    }
    const isFree = NOT_SENT.has(code) || (admitted.isStreamed && NOT_STREAMED.has(code));
    await call.settle(0, isFree ? FREE_USAGE : EMPTY_MODEL_ANSWER_USAGE, BROKEN_CONNECTION_FAILURE);
    return code === 'TimeoutError' || code === 'UND_ERR_HEADERS_TIMEOUT'
      ? createGatewayRefusalResponse(protocol, 'timeout', 'the provider has not answered in time')
      : createGatewayRefusalResponse(protocol, 'unreachable', `the provider cannot be reached (${code})`);
  }
  const { status } = response;
  if (status < 200 || status >= 300) {
    const body = await readErrorBody(response);
    // A provider charges nothing for a refusal.
    await call.settle(
      status,
      FREE_USAGE,
      classifyCallResult(status, response.headers, body.toString('utf8'), gateway.now()),
    );
    return (
      modelNotOfferedResponse(admitted, status, body) ??
      replacedErrorResponse(protocol, status) ?? {
        statusCode: status,
        headers: selectReturnedHeaders(response.headers),
        body: Readable.from([body]),
      }
    );
  }
  const headers = {
    ...selectReturnedHeaders(response.headers),
    ...(droppedFields.length > 0 && {
      [DROPPED_FIELDS_HEADER]: droppedFields.map((each) => encodeURIComponent(each.toWellFormed())).join(' '),
    }),
  };
  if (!response.body) {
    await call.settle(status, EMPTY_MODEL_ANSWER_USAGE, BROKEN_CONNECTION_FAILURE);
    return { statusCode: status, headers, body: '' };
  }
  const reader = new ModelAnswerUsageReader(protocol, response.headers.get('content-type') ?? '');
  return {
    statusCode: status,
    headers,
    body: Readable.from(meteredStream(response.body, reader, call, status)),
  };
}

/** Bytes of an error that are handed back; no provider says more. */
const MAX_ERROR_BYTES = 1_048_576;

/** An error is read before it is handed back, because it says for how long the provider wants to be left alone. */
async function readErrorBody(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk.subarray(0, MAX_ERROR_BYTES - bytes));
      bytes += chunk.byteLength;
      if (bytes >= MAX_ERROR_BYTES) break;
    }
  } catch {
    // The status has said that it is an error; its words broke off.
  }
  return Buffer.concat(chunks);
}

/** Bedrock's own words name neither the Region nor the models that it has there. */
function modelNotOfferedResponse(
  { route, upstream: { bedrock } }: AdmittedModelCall,
  status: number,
  body: Buffer,
): ModelGatewayResponse | null {
  // What costs nothing is not offered everywhere that the model is.
  if (bedrock === undefined || route.isFree || !isModelNotOffered(status, body.toString('utf8'))) return null;
  return createGatewayRefusalResponse(
    route.protocol,
    'model',
    describeModelNotOffered(bedrock.modelId, bedrock.region),
  );
}

/** Some answers of a provider are about us and not about the client, and would mislead it. */
function replacedErrorResponse(
  protocol: AdmittedModelCall['route']['protocol'],
  status: number,
): ModelGatewayResponse | null {
  if (status === 401)
    return createGatewayRefusalResponse(
      protocol,
      'provider',
      'the provider does not take the key of this deployment',
    );
  if (status >= 300 && status < 400)
    return createGatewayRefusalResponse(
      protocol,
      'unreachable',
      'the provider redirects, which is not followed',
    );
  return null;
}

/** One call of a model: checked, reserved, handed on, counted. */
export async function serveModelCall(
  request: ModelRequest,
  gateway: ModelGatewayContext,
): Promise<StreamedModelResponse> {
  const admitted = await admitModelCall(request, gateway);
  if ('statusCode' in admitted) return admitted;
  const call = new ModelCall(admitted, gateway);
  const reserved = await call.reserve();
  if (reserved === 'made') return send(admitted, call, gateway);
  if (reserved === 'failing')
    return createGatewayRefusalResponse(
      admitted.route.protocol,
      'failing',
      `the provider could not do the last ${MAX_CONSECUTIVE_PROVIDER_FAILURES} calls of this attempt; it ends here, and the next one waits`,
    );
  const limit = (admitted.grant.limitMicro / 1e6).toFixed(4);
  return createGatewayRefusalResponse(
    admitted.route.protocol,
    'spent',
    `the budget of this attempt is spent: $${limit}`,
  );
}
