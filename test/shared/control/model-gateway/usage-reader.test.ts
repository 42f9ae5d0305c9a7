import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelApiProtocol } from '../../../../shared/contract/models/protocols.ts';
import {
  EMPTY_MODEL_ANSWER_USAGE,
  type ModelAnswerUsage,
  ModelAnswerUsageReader,
} from '../../../../shared/control/model-gateway/usage-reader.ts';
import type { ScriptedModelResponse, TokenCounts } from '../../../support/models/model-protocol.ts';
import { anthropicProtocol } from '../../../support/models/protocols/anthropic.ts';
import { geminiProtocol } from '../../../support/models/protocols/gemini.ts';
import { openaiChatProtocol } from '../../../support/models/protocols/openai-chat.ts';
import { openaiResponsesProtocol } from '../../../support/models/protocols/openai-responses.ts';

const WIRE = {
  anthropic: anthropicProtocol,
  responses: openaiResponsesProtocol,
  chat: openaiChatProtocol,
  gemini: geminiProtocol,
};
const SSE = 'text/event-stream; charset=utf-8';
const tokens: TokenCounts = { input: 1_000, cacheRead: 200, cacheWrite: 300, output: 47, reasoning: 7 };
const answer = (changes: Partial<ScriptedModelResponse> = {}): ScriptedModelResponse => ({
  id: '1',
  model: 'm-1',
  content: { text: 'Grüße, 世界 🚀 data: {"usage":{"output_tokens":9}}\n' },
  tokens,
  ...changes,
});
const streamed = (protocol: ModelApiProtocol, of = answer()): Buffer =>
  Buffer.from(WIRE[protocol].encodeEvents(of, { stream_options: { include_usage: true } }).join(''));
const whole = (protocol: ModelApiProtocol, of = answer()): Buffer =>
  Buffer.from(JSON.stringify(WIRE[protocol].encodeResponse(of, {})));

function read(protocol: ModelApiProtocol, type: string, chunks: readonly Uint8Array[]): ModelAnswerUsage {
  const reader = new ModelAnswerUsageReader(protocol, type);
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return reader.reading;
}
const expected = (protocol: ModelApiProtocol): ModelAnswerUsage => ({
  model: 'm-1',
  input: 1_000,
  output: 47,
  cacheRead: 200,
  cacheWrite: protocol === 'anthropic' ? 300 : 0,
  cacheWriteHour: 0,
});
const PROTOCOLS = Object.keys(WIRE) as ModelApiProtocol[];

describe.each(PROTOCOLS)('usage of %s', (protocol) => {
  it('is read out of a stream and out of a whole answer alike, each kind of token apart', () => {
    expect(read(protocol, SSE, [streamed(protocol)])).toEqual(expected(protocol));
    expect(read(protocol, 'application/json', [whole(protocol)])).toEqual(expected(protocol));
  });

  it('is the same however the bytes are cut', () => {
    const bytes = streamed(protocol);
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(bytes.length), { maxLength: 30 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(read(protocol, SSE, chunks)).toEqual(expected(protocol));
      }),
      { numRuns: 60 },
    );
  });

  it('is the same with a byte at a time, and with line ends of Windows', () => {
    const bytes = streamed(protocol);
    expect(
      read(
        protocol,
        SSE,
        [...bytes].map((byte) => Uint8Array.of(byte)),
      ),
    ).toEqual(expected(protocol));
    const windows = Buffer.from(bytes.toString('utf8').replaceAll('\n', '\r\n'));
    expect(read(protocol, SSE, [windows])).toEqual(expected(protocol));
  });

  it('does not change when a chunk is used again for other bytes', () => {
    const reader = new ModelAnswerUsageReader(protocol, SSE);
    const buffer = Buffer.alloc(7);
    const bytes = streamed(protocol);
    for (let at = 0; at < bytes.length; at += 7) {
      const length = bytes.copy(buffer, 0, at, at + 7);
      reader.push(buffer.subarray(0, length));
      buffer.fill(0);
    }
    reader.end();
    expect(reader.reading).toEqual(expected(protocol));
  });

  it('is unknown, and not nothing, where counts are -1, missing, or no numbers', () => {
    const minus: TokenCounts = { input: -1, cacheRead: -1, cacheWrite: -1, output: -1, reasoning: -1 };
    for (const of of [answer({ tokens: minus }), answer({ tokens: null })])
      for (const reading of [
        read(protocol, SSE, [streamed(protocol, of)]),
        read(protocol, 'application/json', [whole(protocol, of)]),
      ])
        expect([reading.input, reading.output]).toEqual([null, null]);
    const text = streamed(protocol).toString('utf8').replaceAll('1000', '"many"').replaceAll('1200', '1.5');
    expect(read(protocol, SSE, [Buffer.from(text)]).input).toBeNull();
  });

  it('survives whatever bytes there are', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom(SSE, 'application/json', ''),
        (bytes, type) => {
          const reading = read(protocol, type, [bytes]);
          expect(reading.output === null || reading.output >= 0).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('knows when the counts are in, and hears nothing of what comes then', () => {
    const reader = new ModelAnswerUsageReader(protocol, SSE);
    reader.push(streamed(protocol));
    expect(reader.hasFinalUsage).toBe(protocol !== 'gemini');
    if (!reader.hasFinalUsage) return;
    reader.push(streamed(protocol, answer({ tokens: { ...tokens, output: 1 } })));
    reader.end();
    expect(reader.reading.output).toBe(47);
  });
});

describe('usage', () => {
  it('has what was written to a cache for an hour apart', () => {
    const usage = {
      input_tokens: 1,
      output_tokens: 2,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    };
    const reading = read('anthropic', 'application/json', [
      Buffer.from(JSON.stringify({ model: 'm', usage })),
    ]);
    expect([reading.cacheWrite, reading.cacheWriteHour]).toEqual([30, 20]);
  });

  it('of a stream that is cut holds what was sent, and no output', () => {
    const text = streamed('anthropic').toString('utf8');
    const reading = read('anthropic', SSE, [Buffer.from(text.slice(0, text.indexOf('message_delta')))]);
    expect(reading).toMatchObject({ input: 1_000, cacheRead: 200, output: null });
  });

  it('has the thoughts of Gemini in the output, and is read from a list of answers, too', () => {
    const list = Buffer.from(`[${whole('gemini').toString('utf8')},${whole('gemini').toString('utf8')}]`);
    expect(read('gemini', 'application/json', [list])).toEqual(expected('gemini'));
  });

  it('passes a line over that is longer than any answer, and reads on', () => {
    const reader = new ModelAnswerUsageReader('chat', SSE);
    reader.push(Buffer.from('data: {"usage":"'));
    const filler = Buffer.alloc(4 * 1_048_576, 'x');
    for (let count = 0; count < 5; count++) reader.push(filler);
    reader.push(Buffer.from('"}\n'));
    expect(reader.reading).toEqual(EMPTY_MODEL_ANSWER_USAGE);
    reader.push(streamed('chat'));
    expect(reader.reading).toEqual(expected('chat'));
  });
});
