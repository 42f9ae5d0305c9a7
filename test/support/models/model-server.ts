import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Json,
  ModelProtocol,
  ScriptedModelRequest,
  ScriptedModelResponse,
  TokenCounts,
} from './model-protocol.ts';
import { buildToolCall, DEFAULT_SCRIPT, type ScriptStep } from './model-script.ts';
import { anthropicProtocol } from './protocols/anthropic.ts';
import { bedrockConverseProtocol } from './protocols/bedrock-converse.ts';
import { geminiProtocol } from './protocols/gemini.ts';
import { openaiChatProtocol } from './protocols/openai-chat.ts';
import { openaiResponsesProtocol } from './protocols/openai-responses.ts';
import { findProviderFailure, findUnknownBeta } from './provider-failures.ts';
import { parseScenario, type Scenario } from './scenario.ts';
import { buildSchemaSample } from './schema-sample.ts';

/** One request of a model, as it came, and what was answered. */
export interface ModelCall {
  readonly protocol: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The body, byte for byte. */
  readonly raw: Buffer;
  readonly body: Json;
  readonly model: string;
  readonly status: number;
  /** What the answer counts; null where nothing was counted or the counts are nonsense. */
  readonly tokens: TokenCounts | null;
}

export interface ModelServerOptions {
  /** Or what makes one of the model and the conversation so far. */
  readonly script?: readonly ScriptStep[] | ((model: string, conversation: string) => readonly ScriptStep[]);
  /** What is answered to a question that asks for a shape; undefined: the first thing that has it. A text is sent as it is. */
  readonly answer?: (asked: { readonly model: string; readonly conversation: string }) => unknown;
  /** Milliseconds before each event of `slow`. Default 200. */
  readonly pauseMs?: number;
}

export interface ModelServer {
  /** Plays what `play` says. */
  readonly url: string;
  /** A base URL that plays one scenario, whatever `play` says, with a count of its own. */
  urlForScenario(scenario: string): string;
  /** What calls of `url` get from now on; counts anew. */
  setScenario(scenario: string): void;
  /** Lets all calls go that `hold` keeps waiting, and the later ones. */
  release(): void;
  /** Resolves with the call of this number (from 1), past or future. */
  waitForCall(number: number): Promise<ModelCall>;
  /** All calls of models. Others (count_tokens) are in `others`. */
  readonly calls: readonly ModelCall[];
  readonly otherCalls: readonly string[];
  /** Tokens of all answers together. */
  sumTokens(): TokenCounts;
  stop(): Promise<void>;
}

const PROTOCOLS: Readonly<Record<string, ModelProtocol>> = {
  anthropic: anthropicProtocol,
  chat: openaiChatProtocol,
  responses: openaiResponsesProtocol,
  gemini: geminiProtocol,
  converse: bedrockConverseProtocol,
};
const NOTHING: TokenCounts = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
const MINUS: TokenCounts = { input: -1, cacheRead: -1, cacheWrite: -1, output: -1, reasoning: -1 };

const tokensOf = (protocol: string, step: number): TokenCounts => ({
  input: 1_000 + 100 * step,
  cacheRead: 200 * step,
  // Only Anthropic counts what is written to the cache.
  cacheWrite: protocol === 'anthropic' ? 300 : 0,
  output: 40 + step,
  reasoning: 7,
});

function says(
  asked: ScriptedModelRequest,
  scenario: Scenario,
  script: readonly ScriptStep[],
  shaped: (schema: unknown) => unknown,
): ScriptedModelResponse['content'] {
  const { tools, completedToolCalls, forced, schema } = asked;
  if (scenario.name === 'refuse') return 'refused';
  if (forced) return { call: { name: forced.name, args: shaped(forced.schema) as Json } };
  const last = script.length - 1;
  if (schema !== undefined && (tools.length === 0 || completedToolCalls >= last)) {
    const answer = shaped(schema);
    return { text: typeof answer === 'string' ? answer : JSON.stringify(answer) };
  }
  const step =
    scenario.name === 'loop'
      ? { run: `echo turn ${completedToolCalls}` }
      : script[Math.min(completedToolCalls, last)];
  const call = step ? buildToolCall(step, tools) : null;
  if (call) return { call };
  return { text: step && 'say' in step ? step.say : `none of the tools ${tools.join(', ')} would do` };
}

function parse(raw: Buffer): Json | null {
  try {
    const value: unknown = JSON.parse(raw.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': 'req_scripted',
    ...headers,
  });
  response.end(JSON.stringify(value));
}

/** Starts a server on loopback that speaks as the providers of models do, and does as it is told. */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const { script = DEFAULT_SCRIPT, pauseMs = 200 } = options;
  const calls: ModelCall[] = [];
  const others: string[] = [];
  /** Calls so far by scenario, for "the first N times". */
  const seen = new Map<string, number>();
  let playing = 'ok';
  const released = Promise.withResolvers<void>();
  const awaited = new Map<number, PromiseWithResolvers<ModelCall>>();
  let number = 0;

  async function send(
    request: IncomingMessage,
    response: ServerResponse,
    scenario: Scenario,
    events: readonly string[],
  ): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_scripted' });
    for (const [index, each] of events.entries()) {
      if (index >= events.length / 2) {
        if (scenario.name === 'cut') return void request.socket.destroy();
        if (scenario.name === 'half') break;
      }
      if (scenario.name === 'slow') await sleep(pauseMs);
      if (response.destroyed) return;
      // Until it is out: what is cut must have begun.
      await new Promise((resolve) => response.write(each, resolve));
    }
    response.end();
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await read(request);
    const url = new URL(request.url ?? '/', 'http://loopback');
    const [, named, path = url.pathname] = /^\/play\/([^/]+)(\/.*)$/.exec(url.pathname) ?? [];
    const found = Object.entries(PROTOCOLS).find(([, each]) => each.path.test(path));
    if (!found) {
      others.push(`${request.method} ${path}`);
      if (path.endsWith('/count_tokens')) return json(response, 200, { input_tokens: 1_000 });
      return json(response, 404, {
        error: { message: `there is nothing at ${path}`, type: 'not_found_error' },
      });
    }
    const [name, protocol] = found;
    const body = parse(raw) ?? {};
    const asked = protocol.parseRequest(body, path);
    const text = named === undefined ? playing : decodeURIComponent(named);
    const turn = (seen.get(text) ?? 0) + 1;
    seen.set(text, turn);
    const wanted = parseScenario(text);
    const { firstCall, affectedCalls } = wanted;
    const isPlayed = turn >= firstCall && (affectedCalls === null || turn < firstCall + affectedCalls);
    const scenario = isPlayed ? wanted : parseScenario('ok');
    const log = (status: number, tokens: TokenCounts | null): void => {
      const { headers } = request;
      const call = {
        protocol: name,
        url: request.url ?? '',
        headers,
        raw,
        body,
        model: asked.model,
        status,
        tokens,
      };
      calls.push(call);
      awaited.get(calls.length)?.resolve(call);
    };
    const failure = findUnknownBeta(request.headers) ?? findProviderFailure(scenario);
    if (failure) {
      log(failure.status, null);
      const after: Record<string, string> =
        failure.after === null ? {} : { 'retry-after': String(failure.after) };
      return json(response, failure.status, protocol.encodeFailure(failure), after);
    }
    if (scenario.name === 'redirect') {
      log(307, null);
      response.writeHead(307, { location: 'http://127.0.0.2:1/elsewhere' });
      return void response.end();
    }
    if (scenario.name === 'hang') return log(0, null);
    if (scenario.name === 'reset') {
      log(0, null);
      return void request.socket.destroy();
    }
    if (scenario.name === 'garbage') {
      log(200, null);
      response.writeHead(200, { 'content-type': asked.stream ? 'text/event-stream' : 'application/json' });
      return void response.end(Buffer.from('data: {"usage":{{{\u0000\n\nevent: \ndata: null\n\n{"a":'));
    }
    const step = asked.forced ? 0 : asked.completedToolCalls;
    const counted = tokensOf(name, step);
    const tokens = { minus: MINUS, nousage: null }[scenario.name as string];
    const answer: ScriptedModelResponse = {
      id: `${++number}`,
      model: scenario.name === 'wrongmodel' ? 'some-other-model' : asked.model,
      content: says(
        asked,
        scenario,
        typeof script === 'function' ? script(asked.model, raw.toString('utf8')) : script,
        (schema) =>
          options.answer?.({ model: asked.model, conversation: raw.toString('utf8') }) ??
          buildSchemaSample(schema),
      ),
      tokens: tokens === undefined ? counted : tokens,
    };
    log(200, tokens === undefined ? counted : null);
    if (scenario.name === 'hold') await released.promise;
    if (asked.stream) return send(request, response, scenario, protocol.encodeEvents(answer, body));
    const whole = JSON.stringify(protocol.encodeResponse(answer, body));
    if (scenario.name !== 'cut' && scenario.name !== 'half') return json(response, 200, JSON.parse(whole));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(whole.slice(0, whole.length / 2));
    if (scenario.name === 'cut') return void setImmediate(() => request.socket.destroy());
    response.end();
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (!response.headersSent) json(response, 500, { error: { message: String(error), type: 'scripted' } });
      else response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    urlForScenario(scenario) {
      parseScenario(scenario);
      return `${url}/play/${encodeURIComponent(scenario)}`;
    },
    setScenario(scenario) {
      parseScenario(scenario);
      playing = scenario;
      seen.delete(scenario);
    },
    release: () => released.resolve(),
    waitForCall(call) {
      const known = calls[call - 1];
      if (known) return Promise.resolve(known);
      const waiting = awaited.get(call) ?? Promise.withResolvers<ModelCall>();
      awaited.set(call, waiting);
      return waiting.promise;
    },
    calls,
    otherCalls: others,
    sumTokens: () =>
      calls.reduce<TokenCounts>((sum, { tokens }) => {
        if (tokens === null) return sum;
        return {
          input: sum.input + tokens.input,
          cacheRead: sum.cacheRead + tokens.cacheRead,
          cacheWrite: sum.cacheWrite + tokens.cacheWrite,
          output: sum.output + tokens.output,
          reasoning: sum.reasoning + tokens.reasoning,
        };
      }, NOTHING),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

if (import.meta.main) {
  const server = await startModelServer();
  process.stdout.write(`${server.url}\n`);
}
