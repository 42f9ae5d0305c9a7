import { modelPrice } from '../../contract/models/model-prices.ts';
import type { GatewayRoute, ModelApiProtocol } from '../../contract/models/protocols.ts';
import { isJsonObject, type JsonObject, toJsonObject } from '../../lib/json-object.ts';
import type { WorstCaseTokenUsage } from './call-cost.ts';
import { countContentTokens } from './request-fields/content-tokens.ts';
import { normaliseRequest } from './request-fields/normalise-request.ts';

/** A request for a model as it is sent on. */
export interface ModelCallRequest {
  readonly model: string;
  /** Fields that the gateway knows, as it has parsed them. */
  readonly body: JsonObject;
  /** Paths of fields that are not known and so not sent. */
  readonly droppedFields: readonly string[];
  /** How many alternative answers are asked for. */
  readonly answers: number;
  /** Longest answer that is asked for, in tokens, all alternatives together; null when the request sets no limit. */
  readonly maxOutput: number | null;
}

/** Why a request is not handed on. The message goes to the agent. */
export interface ModelCallProblem {
  readonly problem: string;
}

/** Limits of the length and the number of answers. */
const OUTPUT_LIMITS: Readonly<
  Record<
    ModelApiProtocol,
    (body: JsonObject) => { readonly limits: readonly unknown[]; readonly times: unknown }
  >
> = {
  anthropic: (body) => ({ limits: [body['max_tokens']], times: 1 }),
  responses: (body) => ({ limits: [body['max_output_tokens']], times: 1 }),
  // The model decides which of the two counts.
  chat: (body) => ({ limits: [body['max_completion_tokens'], body['max_tokens']], times: body['n'] }),
  gemini: (body) => {
    const config = toJsonObject(body['generationConfig']);
    return { limits: [config['maxOutputTokens']], times: config['candidateCount'] };
  },
};

/** Chat completions count their tokens in a stream only when they are asked to. */
const withUsageInStream = (protocol: ModelApiProtocol, body: JsonObject): JsonObject =>
  protocol === 'chat' && body['stream'] === true
    ? { ...body, stream_options: { ...toJsonObject(body['stream_options']), include_usage: true } }
    : body;

function parse(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Levels of a body: more than any client sends, and few enough to walk through. */
const MAX_LEVELS = 100;

const isDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((each) => isDeeperThan(levels - 1, each)));

/** Reads a request. What must not be handed on is a problem that says what to change. */
export function parseModelCall(route: GatewayRoute, text: string): ModelCallRequest | ModelCallProblem {
  const raw = parse(text);
  if (raw === null) return { problem: 'the body is not a JSON object' };
  if (isDeeperThan(MAX_LEVELS, raw)) return { problem: `the body has more than ${MAX_LEVELS} levels` };
  const { protocol } = route;
  const normalised = normaliseRequest(protocol, raw);
  if ('problem' in normalised) return normalised;
  const { body, droppedFields } = normalised;
  const { limits, times } = OUTPUT_LIMITS[protocol](body);
  const numbers = limits.filter((each) => typeof each === 'number');
  const answers = typeof times === 'number' ? times : 1;
  return {
    model: route.model ?? String(body['model']),
    body: withUsageInStream(protocol, body),
    droppedFields,
    answers,
    maxOutput: numbers.length === 0 ? null : Math.max(...numbers) * answers,
  };
}

/** Longest answer, in tokens, of a model of which only the price is known: as long as the longest that is known. */
const UNKNOWN_MAX_OUTPUT = 128_000;

/** The worst that a call may use. An answer without a limit may be as long as the model's longest. */
export const worstCaseUsage = (
  { answers, body, maxOutput, model }: ModelCallRequest,
  bytes: number,
  at: string,
): WorstCaseTokenUsage => ({
  input: countContentTokens(body, bytes),
  output: maxOutput ?? (modelPrice(model, at)?.max_output ?? UNKNOWN_MAX_OUTPUT) * answers,
});
