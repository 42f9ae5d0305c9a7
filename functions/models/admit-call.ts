import { parseModelToken } from '../../shared/contract/access/tokens.ts';
import {
  type ConfiguredPrice,
  configuredPrice,
  pricedModelName,
} from '../../shared/contract/models/model-prices.ts';
import {
  type GatewayRoute,
  gatewayRoute,
  PROVIDER_OF_PROTOCOL,
} from '../../shared/contract/models/protocols.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { type WorstCaseTokenUsage, worstCaseMicroUsd } from '../../shared/control/model-gateway/call-cost.ts';
import {
  type ModelCallProblem,
  type ModelCallRequest,
  parseModelCall,
  worstCaseUsage,
} from '../../shared/control/model-gateway/model-call-request.ts';
import {
  agentModelGrant,
  challengerModelGrant,
  gatesModelGrant,
  limitForModel,
  type ModelTokenGrant,
} from '../../shared/control/model-gateway/model-grant.ts';
import { reserveGateModelCallOrRefusal } from '../../shared/control/spending/gate-question-reservation.ts';
import { sha256 } from '../../shared/lib/sha256.ts';
import type { ModelGatewayContext } from './gateway-context.ts';
import { createGatewayRefusalResponse, type ModelGatewayResponse } from './gateway-refusals.ts';
import { extractModelToken, type ModelRequest, selectForwardedHeaders } from './model-request.ts';
import {
  buildModelProviderRequest,
  type ModelProviderRequest,
  serialiseModelRequest,
} from './upstream-request.ts';

/** Largest request in bytes: Lambda takes no more than 6 MiB, in which a JSON text has to be escaped once more. */
export const MAX_MODEL_REQUEST_BYTES = 6 * 1_048_576;

/** A call that may be made. */
export interface AdmittedModelCall {
  readonly grant: ModelTokenGrant;
  readonly route: GatewayRoute;
  readonly model: string;
  readonly worstCase: WorstCaseTokenUsage;
  /** What is reserved, in millionths of a dollar; 0 for what is free and for a model without a price. */
  readonly reservedMicro: number;
  readonly upstream: ModelProviderRequest;
  /** Whether the caller asked for the answer in parts, as it is computed. */
  readonly isStreamed: boolean;
  /** Paths of fields that the gateway does not know and has not sent. */
  readonly droppedFields: readonly string[];
  /** Of the model, where the configuration of who may be asked says it. */
  readonly price?: ConfiguredPrice;
  /** Whether the caller's token is still good: it ends with its attempt. */
  readonly isLive: () => Promise<boolean>;
}

const isAnswer = (value: object): value is ModelGatewayResponse => 'statusCode' in value;
const isProblem = (ask: ModelCallRequest | ModelCallProblem): ask is ModelCallProblem => 'problem' in ask;

/** Who calls, as the task stands now. Nobody learns from the answer which part was wrong. */
async function grantFor(
  request: ModelRequest,
  route: GatewayRoute,
  gateway: ModelGatewayContext,
): Promise<{ readonly grant: ModelTokenGrant; readonly task: Task } | ModelGatewayResponse> {
  const token = extractModelToken(request);
  const parsed = token === null ? null : parseModelToken(token);
  const task = parsed && (await gateway.tasks.get(parsed.taskId));
  const { tiers, maxAttemptUsd } = gateway;
  const options = { tiers, maxAttemptUsd, now: gateway.now() };
  const grant =
    token && parsed && task
      ? parsed.caller === 'gates'
        ? gatesModelGrant(task, parsed.attempt, sha256(token), gateway.gatesModels)
        : parsed.caller === 'challenger'
          ? challengerModelGrant(task, parsed.attempt, sha256(token), gateway.challengerModels)
          : agentModelGrant(task, parsed.attempt, sha256(token), options)
      : null;
  return grant && task
    ? { grant, task }
    : createGatewayRefusalResponse(
        route.protocol,
        'ended',
        'this token is good for no attempt that is running; the attempt may have ended',
      );
}

function askFor(
  request: ModelRequest,
  route: GatewayRoute,
  grant: ModelTokenGrant,
): ModelCallRequest | ModelGatewayResponse {
  const refused = (why: 'request' | 'model', message: string): ModelGatewayResponse =>
    createGatewayRefusalResponse(route.protocol, why, message);
  const ask = parseModelCall(route, request.body.toString('utf8'));
  if (isProblem(ask)) return refused('request', ask.problem);
  if (!grant.models.includes(ask.model))
    return refused(
      'model',
      `model ${ask.model.slice(0, 100)} is not one of this attempt: ${grant.models.join(', ')}`,
    );
  return ask;
}

/** Checks a request from its path to its price, and makes of it what is sent to the provider; else says why not. */
export async function admitModelCall(
  request: ModelRequest,
  gateway: ModelGatewayContext,
): Promise<AdmittedModelCall | ModelGatewayResponse> {
  const asked = gatewayRoute(request.path);
  if (!asked)
    return createGatewayRefusalResponse(
      null,
      'path',
      'this gateway serves messages, responses, chat/completions and generateContent only',
    );
  const { protocol } = asked;
  if (request.method !== 'POST' || request.headers['upgrade'] !== undefined)
    return createGatewayRefusalResponse(protocol, 'method', 'this gateway takes POST only, and no WebSocket');
  if (request.body.length > MAX_MODEL_REQUEST_BYTES)
    return createGatewayRefusalResponse(
      protocol,
      'too_large',
      `the request has ${request.body.length} bytes; at most ${MAX_MODEL_REQUEST_BYTES} are taken`,
    );
  const route = { ...asked, streams: asked.streams === true && request.query['alt'] === 'sse' };
  const found = await grantFor(request, route, gateway);
  if (isAnswer(found)) return found;
  const { grant, task } = found;
  const ask = askFor(request, route, grant);
  if (isAnswer(ask)) return ask;
  const at = gateway.now().toISOString();
  const vendor = PROVIDER_OF_PROTOCOL[protocol];
  const opinion = grant.gatesModels?.find((each) => each.model === ask.model && each.vendor === vendor);
  const provider = grant.gatesModels ? opinion?.endpoint : gateway.providers[vendor];
  // Only what was parsed is sent, so nothing passes that the checks have not seen.
  const body = serialiseModelRequest(provider, route, ask.body);
  const { prices = {} } = gateway;
  const priced = pricedModelName(ask.model, prices);
  const worst = worstCaseUsage({ ...ask, model: priced }, body.length, at);
  const price = opinion?.price ?? configuredPrice(ask.model, prices);
  const micro = worstCaseMicroUsd(worst, priced, at, price);
  if (micro === null && grant.hasTaskLimit && !route.isFree)
    return createGatewayRefusalResponse(
      protocol,
      'request',
      `model ${ask.model.slice(0, 100)} has no price here, so the task's max_cost_usd could not hold; take another model or leave the limit out`,
    );
  const upstream =
    provider && (await buildModelProviderRequest(provider, route, selectForwardedHeaders(request), body));
  if (!upstream)
    return createGatewayRefusalResponse(
      protocol,
      'provider',
      `this deployment has no access to models of ${PROVIDER_OF_PROTOCOL[protocol]}; docs/how-to/models.md says what to set`,
    );
  // What an agent may spend was set aside before it was started.
  const stopped =
    grant.caller !== 'agent' && gateway.budget && !route.isFree
      ? await reserveGateModelCallOrRefusal(
          task,
          grant.attempt,
          micro,
          gateway.budget,
          gateway.now(),
          grant.caller,
        )
      : null;
  if (stopped !== null) {
    gateway.budget?.onStop();
    return createGatewayRefusalResponse(protocol, 'spent', stopped);
  }
  return {
    grant: { ...grant, limitMicro: limitForModel(grant, ask.model) },
    ...{ route, model: ask.model, worstCase: worst, upstream, droppedFields: ask.droppedFields },
    isStreamed: ask.body['stream'] === true || request.path.includes(':streamGenerateContent'),
    isLive: async () => !isAnswer(await grantFor(request, route, gateway)),
    reservedMicro: route.isFree ? 0 : (micro ?? 0),
    ...(price && { price }),
  };
}
