import type { ToolCall } from './model-script.ts';

/** Tokens of one call. `input` leaves out what was read from or written to a cache; `output` holds the reasoning. */
export interface TokenCounts {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

/** What a request asks for, whatever the protocol. */
export interface ScriptedModelRequest {
  readonly model: string;
  /** Names of the tools that the client offers. */
  readonly tools: readonly string[];
  /** How many tool calls the conversation holds already: the step of the script. */
  readonly completedToolCalls: number;
  readonly stream: boolean;
  /** JSON schema of the answer. */
  readonly schema?: unknown;
  /** A tool that must be called, and the JSON schema of its input. */
  readonly forced?: { readonly name: string; readonly schema: unknown };
}

/** What the model says. `tokens` is null where the answer is to leave them out. */
export interface ScriptedModelResponse {
  readonly id: string;
  readonly model: string;
  readonly content: { readonly text: string } | { readonly call: ToolCall } | 'refused';
  readonly tokens: TokenCounts | null;
}

/** An error as the provider words it. */
export interface ProviderFailure {
  readonly status: number;
  readonly message: string;
  /** The vendors' own words for the same thing. */
  readonly anthropic: string;
  readonly openai: string;
  readonly google: string;
  readonly after: number | null;
}

export type Json = Readonly<Record<string, unknown>>;

/** One wire format. */
export interface ModelProtocol {
  readonly path: RegExp;
  parseRequest(body: Json, path: string): ScriptedModelRequest;
  /** The answer as one JSON document. */
  encodeResponse(answer: ScriptedModelResponse, body: Json): Json;
  /** The answer as server-sent events, each a text of its own. */
  encodeEvents(answer: ScriptedModelResponse, body: Json): readonly string[];
  encodeFailure(failure: ProviderFailure): Json;
}

/** One server-sent event. */
export const formatSseEvent = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

export const asRecordList = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter((each): each is Json => typeof each === 'object' && each !== null) : [];
export const asRecord = (value: unknown): Json => asRecordList([value])[0] ?? {};
