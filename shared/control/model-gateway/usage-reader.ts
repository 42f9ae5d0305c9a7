import type { ModelApiProtocol } from '../../contract/models/protocols.ts';
import { type JsonObject, toJsonObject } from '../../lib/json-object.ts';

/** Longest line in bytes that is looked at; a longer one is passed over, so that nobody's answer can fill the memory. */
const MAX_SSE_LINE_BYTES = 16 * 1_048_576;

const LF = 0x0a;
const CR = 0x0d;
const DATA = Buffer.from('data:');

/**
 * Takes a stream of server-sent events apart, however its bytes are cut: calls `onData` with the text after `data:` of each line.
 * A line is read only when it holds one of `words`, because most of a stream is text of no interest here.
 */
class SseDataParser {
  readonly #onData: (data: string) => void;
  readonly #words: readonly Buffer[];
  #parts: Buffer[] = [];
  #length = 0;

  constructor(words: readonly string[], onData: (data: string) => void) {
    this.#words = words.map((word) => Buffer.from(word));
    this.#onData = onData;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, from)) {
      this.#take(bytes.subarray(from, at));
      this.#line();
      from = at + 1;
    }
    this.#take(bytes.subarray(from));
  }

  /** The last line may have no end. */
  end(): void {
    this.#line();
  }

  #take(bytes: Buffer): void {
    this.#length += bytes.length;
    // A copy: who reads a stream may use a chunk's memory again.
    if (this.#length <= MAX_SSE_LINE_BYTES && bytes.length > 0) this.#parts.push(Buffer.from(bytes));
  }

  #line(): void {
    const isReadable = this.#length <= MAX_SSE_LINE_BYTES;
    const line = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    if (!isReadable || line === undefined) return;
    if (!line.subarray(0, DATA.length).equals(DATA)) return;
    if (!this.#words.some((word) => line.includes(word))) return;
    const end = line.at(-1) === CR ? line.length - 1 : line.length;
    this.#onData(line.toString('utf8', DATA.length, end).trim());
  }
}

/** Tokens of one call, each kind priced apart. Null: the answer did not say, or said what cannot be. */
export interface CallTokenCounts {
  /** Read neither from a cache nor written to one. */
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Of `cacheWrite`: what is kept for an hour, which costs more. */
  readonly cacheWriteHour: number;
}

/** What an answer says about itself. */
export interface ModelAnswerUsage extends CallTokenCounts {
  /** The model that has answered, in the provider's words. */
  readonly model: string | null;
  /** Bytes of the answer that have come; absent: it is not known whether it began. */
  readonly bytes?: number;
}

export const EMPTY_MODEL_ANSWER_USAGE: ModelAnswerUsage = {
  model: null,
  input: null,
  output: null,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWriteHour: 0,
};

/** More tokens than any context holds: not a count. */
const MOST_TOKENS = 100_000_000;
const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS ? value : null;
const less = (all: number | null, part: number): number | null =>
  all === null ? null : Math.max(0, all - part);
const modelOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.slice(0, 200) : null;

/** Anthropic counts cached tokens beside the input. A later event says again what has changed. */
function anthropic(event: JsonObject, before: ModelAnswerUsage): ModelAnswerUsage {
  const message = event['type'] === 'message_delta' ? event : toJsonObject(event['message'] ?? event);
  const usage = toJsonObject(message['usage']);
  const has = (name: string): boolean => usage[name] !== undefined && usage[name] !== null;
  const hour = count(toJsonObject(usage['cache_creation'])['ephemeral_1h_input_tokens']);
  // The output of `message_start` is what has been written so far, not what it will be.
  const isStart = event['type'] === 'message_start';
  return {
    model: modelOf(message['model']) ?? before.model,
    input: has('input_tokens') ? count(usage['input_tokens']) : before.input,
    output: has('output_tokens') && !isStart ? count(usage['output_tokens']) : before.output,
    cacheRead: count(usage['cache_read_input_tokens']) ?? before.cacheRead,
    cacheWrite: count(usage['cache_creation_input_tokens']) ?? before.cacheWrite,
    cacheWriteHour: hour ?? before.cacheWriteHour,
  };
}

/** OpenAI counts cached tokens within the input. */
function openai(
  usage: JsonObject,
  model: unknown,
  names: { readonly input: string; readonly output: string; readonly details: string },
  before: ModelAnswerUsage,
): ModelAnswerUsage {
  const details = toJsonObject(usage[names.details]);
  const cacheRead = count(details['cached_tokens']) ?? before.cacheRead;
  const cacheWrite = count(details['cache_write_tokens']) ?? before.cacheWrite;
  const isThere = usage[names.input] !== undefined || usage[names.output] !== undefined;
  return {
    model: modelOf(model) ?? before.model,
    input: isThere ? less(count(usage[names.input]), cacheRead + cacheWrite) : before.input,
    output: isThere ? count(usage[names.output]) : before.output,
    cacheRead,
    cacheWrite,
    cacheWriteHour: 0,
  };
}

const responses = (event: JsonObject, before: ModelAnswerUsage): ModelAnswerUsage => {
  const response = toJsonObject(event['response'] ?? event);
  const names = { input: 'input_tokens', output: 'output_tokens', details: 'input_tokens_details' };
  return openai(toJsonObject(response['usage']), response['model'], names, before);
};

const chat = (event: JsonObject, before: ModelAnswerUsage): ModelAnswerUsage => {
  const names = { input: 'prompt_tokens', output: 'completion_tokens', details: 'prompt_tokens_details' };
  return openai(toJsonObject(event['usage']), event['model'], names, before);
};

/** Gemini counts cached tokens within the prompt, and thoughts and tool prompts beside what they belong to. */
function gemini(event: JsonObject, before: ModelAnswerUsage): ModelAnswerUsage {
  const usage = toJsonObject(event['usageMetadata']);
  const model = modelOf(event['modelVersion']) ?? before.model;
  if (usage['promptTokenCount'] === undefined) return { ...before, model };
  const cacheRead = count(usage['cachedContentTokenCount']) ?? 0;
  const prompt = count(usage['promptTokenCount']);
  // Both are left out where they are none.
  const candidates = count(usage['candidatesTokenCount'] ?? 0);
  const thoughts = count(usage['thoughtsTokenCount'] ?? 0);
  const tools = count(usage['toolUsePromptTokenCount']) ?? 0;
  return {
    ...before,
    model,
    input: prompt === null ? null : Math.max(0, prompt - cacheRead) + tools,
    output: candidates === null || thoughts === null ? null : candidates + thoughts,
    cacheRead,
  };
}

const READ: Readonly<
  Record<ModelApiProtocol, (event: JsonObject, before: ModelAnswerUsage) => ModelAnswerUsage>
> = {
  anthropic,
  responses,
  chat,
  gemini,
};

/** The event after which nothing follows that counts. Gemini has none: there it is the end of the stream. */
const LAST: Readonly<Record<ModelApiProtocol, (data: string, event: JsonObject) => boolean>> = {
  anthropic: (_data, event) => event['type'] === 'message_stop',
  responses: (_data, event) =>
    ['response.completed', 'response.incomplete', 'response.failed'].includes(String(event['type'])),
  chat: (data) => data === '[DONE]',
  gemini: () => false,
};
const WORDS = ['"usage', '"model', '"message_stop"', '[DONE]', '"response.failed"'];

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Largest answer in bytes that is kept to be read when it is not streamed. */
const MAX_WHOLE_BYTES = 32 * 1_048_576;

/** Reads usage out of an answer on the side, while it passes. The same bytes give the same reading, however they are cut. */
export class ModelAnswerUsageReader {
  readonly #protocol: ModelApiProtocol;
  readonly #lines: SseDataParser | null;
  #whole: Buffer[] = [];
  #bytes = 0;
  #reading: ModelAnswerUsage = EMPTY_MODEL_ANSWER_USAGE;
  #isLast = false;

  constructor(protocol: ModelApiProtocol, contentType: string) {
    this.#protocol = protocol;
    this.#lines = /^text\/event-stream\b/i.test(contentType.trim())
      ? new SseDataParser(WORDS, (data) => this.#event(data))
      : null;
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    if (this.#lines) this.#lines.push(chunk);
    else {
      if (this.#bytes <= MAX_WHOLE_BYTES) this.#whole.push(Buffer.from(chunk));
    }
  }

  /** Nothing more will come. */
  end(): void {
    this.#lines?.end();
    if (this.#lines || this.#bytes > MAX_WHOLE_BYTES) return;
    const value = parse(Buffer.concat(this.#whole).toString('utf8'));
    this.#whole = [];
    // Gemini streams a list when it is not asked for events.
    for (const each of Array.isArray(value) ? value : [value])
      this.#reading = READ[this.#protocol](toJsonObject(each), this.#reading);
  }

  /** True when the counts are in: what comes now does not change them. */
  get hasFinalUsage(): boolean {
    return this.#isLast;
  }

  /** False: the answer has ended before its own end. Gemini's streams have none, and of a whole answer the length was checked. */
  get isComplete(): boolean {
    return this.#lines === null || this.#protocol === 'gemini' || this.#isLast;
  }

  get reading(): ModelAnswerUsage {
    return this.#reading;
  }

  /** The same, with the bytes that have come: what an estimate of a broken answer goes by. */
  get readingWithBytes(): ModelAnswerUsage {
    return { ...this.#reading, bytes: this.#bytes };
  }

  #event(data: string): void {
    const event = toJsonObject(parse(data));
    if (!this.#isLast) this.#reading = READ[this.#protocol](event, this.#reading);
    this.#isLast ||= LAST[this.#protocol](data, event);
  }
}
