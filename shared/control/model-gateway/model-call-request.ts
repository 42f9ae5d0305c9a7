import { modelPrice } from '../../contract/models/model-prices.ts';
import type { GatewayRoute, ModelApiProtocol } from '../../contract/models/protocols.ts';
import type { WorstCaseTokenUsage } from './call-cost.ts';

type Json = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const record = (value: unknown): Json => (isRecord(value) ? value : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A request for a model, as far as the gateway has to know it. */
export interface ModelCallRequest {
  readonly model: string;
  readonly body: Json;
  /** Longest answer that is asked for, in tokens, all alternatives together; null when the request sets no limit. */
  readonly maxOutput: number | null;
  /** The body has to be changed for the answer to hold its usage. */
  readonly needsUsage: boolean;
}

/** Why a request is not handed on. The message goes to the agent. */
export interface ModelCallProblem {
  readonly problem: string;
}

/** Tools that the client itself runs. All others run at the provider, cost by the call, or talk to other hosts. */
const CLIENT_TOOLS: Readonly<Record<ModelApiProtocol, RegExp>> = {
  anthropic: /^(custom|bash_\d+|text_editor_\d+|computer_\d+|memory_\d+|tool_search_tool_\w+)$/,
  responses:
    /^(function|custom|local_shell|shell|apply_patch|namespace|tool_search|computer|computer_use_preview)$/,
  chat: /^(function|custom)$/,
  gemini: /^functionDeclarations$/,
};

/** What kind of tool one entry of `tools` is. Gemini names the kind by the field; Anthropic's own have no type. */
const kindsOf = (tool: unknown, protocol: ModelApiProtocol): readonly string[] => {
  const fields = record(tool);
  if (protocol === 'gemini') return Object.keys(fields);
  return [String(fields['type'] ?? (protocol === 'anthropic' ? 'custom' : 'function'))];
};

/** Fields that make a call dearer than the price table knows, go on after the answer, or reach other hosts. */
const REFUSED_FIELDS: Readonly<
  Record<ModelApiProtocol, Readonly<Record<string, (value: unknown) => boolean>>>
> = {
  anthropic: {
    mcp_servers: (value) => list(value).length > 0,
    container: (value) => value !== null,
    speed: (value) => value !== 'standard',
    service_tier: (value) => value !== 'standard_only' && value !== 'auto',
    inference_geo: (value) => value !== 'global' && value !== null,
  },
  responses: {
    background: (value) => value === true,
    service_tier: (value) => !['auto', 'default', 'flex', null].includes(value as string),
  },
  chat: {
    web_search_options: (value) => value !== null,
    service_tier: (value) => !['auto', 'default', 'flex', null].includes(value as string),
  },
  gemini: {},
};

const LIMITS: Readonly<Record<ModelApiProtocol, (body: Json) => { limit: unknown; times: unknown }>> = {
  anthropic: (body) => ({ limit: body['max_tokens'], times: 1 }),
  responses: (body) => ({ limit: body['max_output_tokens'], times: 1 }),
  chat: (body) => ({ limit: body['max_completion_tokens'] ?? body['max_tokens'], times: body['n'] }),
  gemini: (body) => {
    const config = record(body['generationConfig']);
    return { limit: config['maxOutputTokens'], times: config['candidateCount'] };
  },
};

const positive = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 1 ? Math.ceil(value) : null;

function parse(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Newest OpenAI models get tools as an item of the input, too. */
const toolsIn = (body: Json, protocol: ModelApiProtocol): readonly unknown[] => [
  ...list(body['tools']),
  ...(protocol === 'responses'
    ? list(body['input'])
        .filter((item) => record(item)['type'] === 'additional_tools')
        .flatMap((item) => list(record(item)['tools']))
    : []),
];

/** Reads a request. What must not be handed on is a problem that says what to change. */
export function parseModelCall(route: GatewayRoute, text: string): ModelCallRequest | ModelCallProblem {
  const body = parse(text);
  if (body === null) return { problem: 'the body is not a JSON object' };
  const { protocol } = route;
  const model = route.model ?? body['model'];
  if (typeof model !== 'string' || model === '') return { problem: 'model is missing' };
  for (const tool of toolsIn(body, protocol))
    for (const kind of kindsOf(tool, protocol))
      if (!CLIENT_TOOLS[protocol].test(kind))
        return {
          problem: `the tool ${kind.slice(0, 100)} runs at the provider and costs extra; this gateway allows only tools that the client runs itself: switch it off`,
        };
  for (const [name, isRefused] of Object.entries(REFUSED_FIELDS[protocol]))
    if (body[name] !== undefined && isRefused(body[name]))
      return {
        problem: `${name} ${JSON.stringify(body[name]).slice(0, 100)} is not allowed by this gateway`,
      };
  const { limit, times } = LIMITS[protocol](body);
  const most = positive(limit);
  const isStream = protocol === 'chat' && body['stream'] === true;
  return {
    model,
    body,
    maxOutput: most === null ? null : most * (positive(times) ?? 1),
    needsUsage: isStream && record(body['stream_options'])['include_usage'] !== true,
  };
}

/** The worst that a call may use. An answer without a limit may be as long as the model's longest. */
export const worstCaseUsage = (ask: ModelCallRequest, bytes: number, at: string): WorstCaseTokenUsage => ({
  input: bytes,
  output: ask.maxOutput ?? modelPrice(ask.model, at)?.max_output ?? 0,
});

/** The body with usage asked for at the end of the stream. */
export const requestUsageInStream = (body: Json): Json => ({
  ...body,
  stream_options: { ...record(body['stream_options']), include_usage: true },
});
