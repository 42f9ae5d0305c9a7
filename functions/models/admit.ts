import { parseModelToken } from '../../shared/contract/access/tokens.ts';
import { PROVIDER_OF, type Route, routeOf } from '../../shared/contract/models/protocols.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import {
  type Ask,
  type AskProblem,
  readAsk,
  withUsage,
  worstOf,
} from '../../shared/control/model-gateway/ask.ts';
import { type OwnPrice, type Worst, worstMicro } from '../../shared/control/model-gateway/cost.ts';
import { type Grant, grantOf, opinionGrantOf } from '../../shared/control/model-gateway/grant.ts';
import { opinionRefused } from '../../shared/control/spending/opinions.ts';
import { sha256 } from '../../shared/lib/sha256.ts';
import type { Gateway } from './parts.ts';
import { type Answer, refuse } from './refusals.ts';
import { handedOn, type ModelRequest, tokenOf } from './request.ts';
import { toUpstream, type Upstream } from './upstream.ts';

/** Largest request in bytes: Lambda takes no more than 6 MiB, in which a JSON text has to be escaped once more. */
export const MAX_REQUEST_BYTES = 6 * 1_048_576;

/** A call that may be made. */
export interface Admitted {
  readonly grant: Grant;
  readonly route: Route;
  readonly model: string;
  readonly worst: Worst;
  /** What is reserved, in millionths of a dollar; 0 for what is free and for a model without a price. */
  readonly reserved: number;
  readonly upstream: Upstream;
  /** Of the model, where the configuration of who may be asked says it. */
  readonly price?: OwnPrice;
}

const isAnswer = (value: object): value is Answer => 'statusCode' in value;
const isProblem = (ask: Ask | AskProblem): ask is AskProblem => 'problem' in ask;

/** Who calls, as the task stands now. Nobody learns from the answer which part was wrong. */
async function grantFor(
  request: ModelRequest,
  route: Route,
  gateway: Gateway,
): Promise<{ readonly grant: Grant; readonly task: Task } | Answer> {
  const token = tokenOf(request);
  const parsed = token === null ? null : parseModelToken(token);
  const task = parsed && (await gateway.tasks.get(parsed.taskId));
  const { tiers, maxAttemptUsd } = gateway;
  const options = { tiers, maxAttemptUsd, now: gateway.now() };
  const grant =
    token && parsed && task
      ? parsed.caller === 'gates'
        ? opinionGrantOf(task, parsed.attempt, sha256(token), gateway.opinions)
        : grantOf(task, parsed.attempt, sha256(token), options)
      : null;
  return grant && task
    ? { grant, task }
    : refuse(
        route.protocol,
        'ended',
        'this token is good for no attempt that is running; the attempt may have ended',
      );
}

function askFor(request: ModelRequest, route: Route, grant: Grant): Ask | Answer {
  const refused = (why: 'request' | 'model', message: string): Answer => refuse(route.protocol, why, message);
  const ask = readAsk(route, request.body.toString('utf8'));
  if (isProblem(ask)) return refused('request', ask.problem);
  if (!grant.models.includes(ask.model))
    return refused(
      'model',
      `model ${ask.model.slice(0, 100)} is not one of this attempt: ${grant.models.join(', ')}`,
    );
  return ask;
}

/** Checks a request from its path to its price, and makes of it what is sent to the provider; else says why not. */
export async function admit(request: ModelRequest, gateway: Gateway): Promise<Admitted | Answer> {
  const asked = routeOf(request.path);
  if (!asked)
    return refuse(
      null,
      'path',
      'this gateway serves messages, responses, chat/completions and generateContent only',
    );
  const { protocol } = asked;
  if (request.method !== 'POST' || request.headers['upgrade'] !== undefined)
    return refuse(protocol, 'method', 'this gateway takes POST only, and no WebSocket');
  if (request.body.length > MAX_REQUEST_BYTES)
    return refuse(
      protocol,
      'too_large',
      `the request has ${request.body.length} bytes; at most ${MAX_REQUEST_BYTES} are taken`,
    );
  const route = { ...asked, streams: asked.streams === true && request.query['alt'] === 'sse' };
  const found = await grantFor(request, route, gateway);
  if (isAnswer(found)) return found;
  const { grant, task } = found;
  const ask = askFor(request, route, grant);
  if (isAnswer(ask)) return ask;
  const at = gateway.now().toISOString();
  const worst = worstOf(ask, request.body.length, at);
  const vendor = PROVIDER_OF[protocol];
  const opinion = grant.answeredBy?.find((each) => each.model === ask.model && each.vendor === vendor);
  const micro = worstMicro(worst, ask.model, at, opinion?.price);
  if (micro === null && grant.isLimited && !route.isFree)
    return refuse(
      protocol,
      'request',
      `model ${ask.model.slice(0, 100)} has no price here, so the task's max_cost_usd could not hold; take another model or leave the limit out`,
    );
  const body = ask.needsUsage ? Buffer.from(JSON.stringify(withUsage(ask.body))) : request.body;
  const provider = grant.answeredBy ? opinion?.to : gateway.providers[vendor];
  const upstream = provider && (await toUpstream(provider, route, handedOn(request), body));
  if (!upstream)
    return refuse(
      protocol,
      'provider',
      `this deployment has no access to models of ${PROVIDER_OF[protocol]}; docs/models.md says what to set`,
    );
  // What an agent may spend was set aside before it was started.
  const stopped =
    grant.caller === 'gates' && gateway.money && !route.isFree
      ? await opinionRefused(task, grant.attempt, micro, gateway.money, gateway.now())
      : null;
  if (stopped !== null) {
    gateway.money?.onStop();
    return refuse(protocol, 'spent', stopped);
  }
  return {
    ...{ grant, route, model: ask.model, worst, upstream },
    reserved: route.isFree ? 0 : (micro ?? 0),
    ...(opinion?.price && { price: opinion.price }),
  };
}
