import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GatewayRoute, ModelApiProtocol } from '../../../../shared/contract/models/protocols.ts';
import {
  type ModelCallRequest,
  parseModelCall,
  worstCaseUsage,
} from '../../../../shared/control/model-gateway/model-call-request.ts';
import { MAX_CONTEXT_TOKENS } from '../../../../shared/control/model-gateway/request-fields/content-tokens.ts';
import { CLIENT_REQUESTS } from './client-requests.ts';

type Json = Record<string, unknown>;
const MARK = 'stored-elsewhere';
const routeOf = (protocol: ModelApiProtocol): GatewayRoute => ({
  protocol,
  path: '/',
  model: protocol === 'gemini' ? 'gemini-2.5-flash' : null,
  isFree: false,
  streams: false,
});
const parse = (protocol: ModelApiProtocol, body: unknown) =>
  parseModelCall(routeOf(protocol), typeof body === 'string' ? body : JSON.stringify(body));
const accepted = (protocol: ModelApiProtocol, body: unknown): ModelCallRequest => {
  const result = parse(protocol, body);
  if ('problem' in result) throw new Error(result.problem);
  return result;
};
const sent = (protocol: ModelApiProtocol, body: unknown): string =>
  JSON.stringify(accepted(protocol, body).body);
const problem = (protocol: ModelApiProtocol, body: unknown): string => {
  const result = parse(protocol, body);
  return 'problem' in result ? result.problem : `sent: ${JSON.stringify(result.body)}`;
};

const cases = Object.entries(CLIENT_REQUESTS) as [string, { protocol: ModelApiProtocol; body: Json }][];

describe.each(cases)('a request as %s sends it', (_client, { protocol, body }) => {
  it('is sent as it came, byte for byte', () => {
    const text = JSON.stringify(body);
    expect(sent(protocol, text)).toBe(text);
    expect(accepted(protocol, text).droppedFields).toEqual([]);
    // Cached prefixes stay valid: the same input gives the same bytes.
    expect(sent(protocol, JSON.stringify(JSON.parse(text), null, 2))).toBe(text);
  });

  it('loses a field that a newer version adds, and nothing else', () => {
    const result = accepted(protocol, { ...body, brand_new_option: { level: 3 } });
    expect(JSON.stringify(result.body)).toBe(JSON.stringify(body));
    expect(result.droppedFields).toEqual(['brand_new_option']);
  });
});

/** References to content elsewhere, each with the place that its protocol knows it in. */
const anthropicBlock = (block: Json) => ({
  model: 'm',
  max_tokens: 9,
  messages: [{ role: 'user', content: [block] }],
});
const inToolResult = (block: Json) =>
  anthropicBlock({ type: 'tool_result', tool_use_id: 't', content: [block] });
const responsesPart = (part: Json) => ({ model: 'm', input: [{ role: 'user', content: [part] }] });
const responsesItem = (item: Json) => ({ model: 'm', input: [item] });
const responses = (more: Json) => ({ model: 'm', input: 'Hello', ...more });
const chatPart = (part: Json) => ({ model: 'm', messages: [{ role: 'user', content: [part] }] });
const chat = (more: Json) => ({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], ...more });
const anthropic = (more: Json) => ({ ...anthropicBlock({ type: 'text', text: 'Hello' }), ...more });
const geminiPart = (part: Json) => ({ contents: [{ role: 'user', parts: [part] }] });
const gemini = (more: Json) => ({ ...geminiPart({ text: 'Hello' }), ...more });

const REFERENCES: readonly (readonly [ModelApiProtocol, string, Json])[] = [
  ['anthropic', 'url', anthropicBlock({ type: 'image', source: { type: 'url', url: MARK } })],
  ['anthropic', 'file_id', anthropicBlock({ type: 'document', source: { type: 'file', file_id: MARK } })],
  ['anthropic', 'url', inToolResult({ type: 'document', source: { type: 'url', url: MARK } })],
  [
    'anthropic',
    'file_id',
    anthropicBlock({
      type: 'document',
      source: { type: 'content', content: [{ type: 'image', source: { type: 'file', file_id: MARK } }] },
    }),
  ],
  [
    'anthropic',
    'data',
    anthropicBlock({ type: 'image', source: { type: 'base64', data: `https://${MARK}` } }),
  ],
  ['anthropic', 'container_upload', anthropicBlock({ type: 'container_upload', file_id: MARK })],
  ['anthropic', 'container', anthropic({ container: { id: MARK } })],
  ['anthropic', 'mcp_servers', anthropic({ mcp_servers: [{ type: 'url', url: MARK }] })],
  ['anthropic', 'mcp_servers', anthropic({ mcp_servers: { url: MARK } })],
  ['anthropic', 'web_fetch', anthropic({ tools: [{ type: 'web_fetch_20250910', name: MARK }] })],
  [
    'anthropic',
    'tool_search',
    anthropic({ tools: [{ type: 'tool_search_tool_bm25_20251119', name: MARK }] }),
  ],
  ['anthropic', 'tools', anthropic({ tools: { type: 'web_search_20250305', name: MARK } })],
  ['anthropic', 'compact', anthropic({ context_management: { edits: [{ type: `compact_${MARK}` }] } })],
  ['responses', 'previous_response_id', responses({ previous_response_id: MARK })],
  ['responses', 'conversation', responses({ conversation: { id: MARK } })],
  ['responses', 'prompt', responses({ prompt: { id: MARK, variables: {} } })],
  ['responses', 'background', responses({ background: true, user: MARK })],
  ['responses', 'file_id', responsesPart({ type: 'input_file', file_id: MARK })],
  ['responses', 'file_url', responsesPart({ type: 'input_file', file_url: MARK })],
  ['responses', 'file_data', responsesPart({ type: 'input_file', file_data: `https://${MARK}` })],
  ['responses', 'image_url', responsesPart({ type: 'input_image', image_url: `https://${MARK}` })],
  ['responses', 'file_id', responsesPart({ type: 'input_image', file_id: MARK })],
  ['responses', 'item_reference', responsesItem({ type: 'item_reference', id: MARK })],
  ['responses', 'content', responsesItem({ id: MARK })],
  ['responses', 'content', responsesItem({ type: 'message', id: MARK, role: 'assistant' })],
  ['responses', 'id', responsesItem({ type: 'reasoning', id: MARK, summary: [] })],
  ['responses', 'id', responsesItem({ type: 'compaction', id: MARK })],
  [
    'responses',
    'image_url',
    responsesItem({
      type: 'computer_call_output',
      call_id: 'c',
      output: { type: 'computer_screenshot', image_url: `https://${MARK}` },
    }),
  ],
  ['responses', 'file_search', responses({ tools: [{ type: 'file_search', vector_store_ids: [MARK] }] })],
  ['responses', 'mcp', responses({ tools: [{ type: 'mcp', server_url: MARK }] })],
  ['responses', 'tools', responses({ tools: { type: 'web_search', name: MARK } })],
  [
    'responses',
    'shell',
    responses({
      tools: [{ type: 'shell', environment: { type: 'container_reference', container_id: MARK } }],
    }),
  ],
  [
    'responses',
    'code_interpreter',
    responsesItem({
      type: 'additional_tools',
      tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'code_interpreter', container: MARK }] }],
    }),
  ],
  ['responses', 'tool_search', responses({ tools: [{ type: 'tool_search', name: MARK }] })],
  ['chat', 'url', chatPart({ type: 'image_url', image_url: { url: `https://${MARK}` } })],
  ['chat', 'image_url', chatPart({ type: 'image_url', image_url: `https://${MARK}` })],
  ['chat', 'file_id', chatPart({ type: 'file', file: { file_id: MARK } })],
  ['chat', 'video_url', chatPart({ type: 'video_url', video_url: { url: MARK } })],
  ['chat', 'audio', { model: 'm', messages: [{ role: 'assistant', audio: { id: MARK } }] }],
  ['chat', 'web_search_options', chat({ web_search_options: { user_location: MARK } })],
  ['chat', 'tools', chat({ tools: [{ type: 'web_search', name: MARK }] })],
  ['gemini', 'cachedContent', gemini({ cachedContent: MARK })],
  ['gemini', 'fileData', geminiPart({ fileData: { fileUri: MARK } })],
  ['gemini', 'data', geminiPart({ inlineData: { mimeType: 'image/png', data: `gs://${MARK}` } })],
  [
    'gemini',
    'fileData',
    geminiPart({ functionResponse: { name: 'f', parts: [{ fileData: { fileUri: MARK } }] } }),
  ],
  ['gemini', 'googleSearch', gemini({ tools: [{ googleSearch: { name: MARK } }] })],
  ['gemini', 'google_search', gemini({ tools: [{ google_search: { name: MARK } }] })],
  ['gemini', 'url_context', gemini({ tools: [{ functionDeclarations: [], url_context: { name: MARK } }] })],
  ['gemini', 'tools', gemini({ tools: { googleSearch: { name: MARK } } })],
  ['gemini', 'fileSearch', gemini({ tools: [{ fileSearch: { fileSearchStoreNames: [MARK] } }] })],
];

describe('a reference to content elsewhere', () => {
  it.each(REFERENCES)('of %s by %s is never sent: %j', (protocol, _name, body) => {
    const result = parse(protocol, body);
    if ('problem' in result) expect(result.problem.length).toBeGreaterThan(20);
    else expect(JSON.stringify(result.body)).not.toContain(MARK);
  });

  it.each([
    [
      'responses',
      responses({ previous_response_id: 'resp_1' }),
      'previous_response_id',
      'send the content itself',
    ],
    ['anthropic', anthropicBlock({ type: 'image', source: { type: 'url', url: 'x' } }), 'url', 'base64'],
    ['chat', chatPart({ type: 'image_url', image_url: { url: 'https://x.test' } }), 'image_url.url', 'data:'],
    ['gemini', gemini({ cachedContent: 'c' }), 'cachedContent', 'send the content itself'],
    ['responses', responses({ background: true }), 'background', 'set background to false'],
    [
      'responses',
      responses({ input: [{ type: 'item_reference', id: 'x' }] }),
      'item_reference',
      'store to false',
    ],
    [
      'anthropic',
      anthropicBlock({ type: 'document', source: { type: 'file', file_id: 'f' } }),
      'messages[0].content[0].source',
      'base64',
    ],
  ] as const)('is refused in %s with its place and what to set: %j', (protocol, body, place, advice) => {
    expect(problem(protocol, body)).toContain(place);
    expect(problem(protocol, body)).toContain(advice);
  });

  it('is left out where it asks for nothing', () => {
    const empty = { previous_response_id: null, conversation: null, background: false };
    expect(sent('responses', responses(empty))).toBe(JSON.stringify(responses({})));
    expect(sent('anthropic', anthropic({ mcp_servers: [], container: null }))).toBe(
      JSON.stringify(anthropic({})),
    );
  });
});

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const SPELLINGS: readonly ((name: string) => string)[] = [
  (name) => name,
  snake,
  camel,
  (name) => name.toUpperCase(),
  (name) => `${name[0]?.toUpperCase()}${name.slice(1)}`,
  (name) => snake(name).replaceAll('_', '-'),
  (name) => ` ${name}`,
  (name) => `${name}\u200b`,
  (name) => name.replaceAll('s', '\u017f'),
  (name) => `${name}[]`,
  (name) => `$.${name}`,
];
const SHAPES: readonly ((value: unknown) => unknown)[] = [
  (value) => value,
  (value) => [value],
  (value) => ({ 0: value }),
  (value) => ({ id: value }),
  (value) => [[value]],
];
const REFERENCE_NAMES = [
  'previous_response_id',
  'conversation',
  'prompt',
  'background',
  'file_id',
  'file_url',
  'fileData',
  'fileUri',
  'url',
  'cachedContent',
  'container',
  'mcp_servers',
  'web_search_options',
  'item_reference',
  'vector_store_ids',
  'googleSearch',
  'urlContext',
  'codeExecution',
  'plugins',
  'models',
  'extra_body',
  'audio',
  '__proto__',
];

/** Fields whose value is part of the prompt as it is, or text. */
const OPAQUE =
  /^(input_schema|parameters|parametersJsonSchema|schema|args|response|input|arguments|metadata|client_metadata|keep|action)$/;

/** Each object of a body to which a field could be added, with what adds it. */
function places(
  value: unknown,
  put: (next: unknown) => unknown,
): ((name: string, more: unknown) => unknown)[] {
  if (Array.isArray(value))
    return value.flatMap((each, index) => places(each, (next) => put(value.toSpliced(index, 1, next))));
  if (typeof value !== 'object' || value === null) return [];
  const own = (name: string, more: unknown) => {
    const entries = Object.entries(value).filter(([key]) => key !== name);
    return put(Object.fromEntries([...entries, [name, more]]));
  };
  return [
    own,
    ...Object.entries(value).flatMap(([key, each]) =>
      OPAQUE.test(key) && !Array.isArray(each) ? [] : places(each, (next) => put({ ...value, [key]: next })),
    ),
  ];
}

describe('any spelling of a reference at any place', () => {
  it.each(cases)('of a request of %s is refused or not sent', (_client, { protocol, body }) => {
    const spots = places(body, (next) => next);
    fc.assert(
      fc.property(
        fc.constantFrom(...spots),
        fc.constantFrom(...REFERENCE_NAMES),
        fc.constantFrom(...SPELLINGS),
        fc.constantFrom(...SHAPES),
        (add, name, spell, shape) => {
          const result = parse(protocol, JSON.stringify(add(spell(name), shape(MARK))));
          expect('problem' in result ? '' : JSON.stringify(result.body)).not.toContain(MARK);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each(cases)('and any unknown field of a request of %s is not sent', (_client, { protocol, body }) => {
    const spots = places(body, (next) => next);
    fc.assert(
      fc.property(
        fc.constantFrom(...spots),
        fc.string({ minLength: 1 }),
        fc.jsonValue(),
        (add, name, value) => {
          const result = parse(protocol, JSON.stringify(add(`x-${name}`, [MARK, value])));
          expect('problem' in result ? '' : JSON.stringify(result.body)).not.toContain(MARK);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('a field that is given twice counts as it is sent: the last one, and only that', () => {
    const twice = `{"model":"m","previous_response_id":null,"input":"a","input":"b","previous_response_id":"${MARK}"}`;
    expect(problem('responses', twice)).toContain('previous_response_id');
    const first = `{"model":"m","input":"a","previous_response_id":"${MARK}","previous_response_id":null}`;
    expect(sent('responses', first)).toBe('{"model":"m","input":"a"}');
    const model = '{"model":"dear","input":"a","model":"cheap"}';
    expect([accepted('responses', model).model, sent('responses', model)]).toEqual([
      'cheap',
      '{"model":"cheap","input":"a"}',
    ]);
  });

  it('says how a known field is spelt', () => {
    expect(problem('anthropic', anthropic({ Tools: [{ type: 'web_search_20250305' }] }))).toContain(
      'write tools',
    );
    expect(problem('gemini', gemini({ system_instruction: { parts: [] } }))).toContain(
      'write systemInstruction',
    );
  });
});

describe('what a request may cost', () => {
  const input = (protocol: ModelApiProtocol, body: Json): number => {
    const ask = accepted(protocol, body);
    return worstCaseUsage(ask, JSON.stringify(ask.body).length, '2026-11-22').input;
  };
  const output = (protocol: ModelApiProtocol, body: Json): number =>
    worstCaseUsage(accepted(protocol, body), 1, '2026-11-22').output;

  it('is the whole context for pages, sound and film, which a few bytes can be many of', () => {
    for (const [protocol, body] of [
      ['anthropic', anthropicBlock({ type: 'document', source: { type: 'base64', data: 'JVBE' } })],
      ['responses', responsesPart({ type: 'input_file', file_data: 'data:application/pdf;base64,JVBE' })],
      ['chat', chatPart({ type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } })],
      ['chat', chatPart({ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE' } })],
      ['gemini', geminiPart({ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } })],
    ] as const)
      expect(input(protocol, body)).toBeGreaterThanOrEqual(MAX_CONTEXT_TOKENS);
  });

  it('is more than its bytes for a picture, and no more than its bytes and a fixed share for text', () => {
    const text = anthropic({});
    const picture = anthropicBlock({ type: 'image', source: { type: 'base64', data: 'iVBO' } });
    expect(input('anthropic', picture)).toBeGreaterThan(10_000);
    expect(input('anthropic', text)).toBeLessThan(5_000);
    const document = anthropicBlock({ type: 'document', source: { type: 'text', data: 'Hello' } });
    expect(input('anthropic', document)).toBeLessThan(5_000);
  });

  it('goes by the media in a request, whatever type is given beside them', () => {
    const picture = responsesPart({ image_url: 'data:image/png;base64,iVBO' });
    expect(input('responses', picture)).toBeGreaterThan(10_000);
    const file = responsesPart({ file_data: 'data:application/pdf;base64,JVBE' });
    const labelled = { type: 'base64', media_type: 'application/pdf', data: 'JVBE' };
    for (const [protocol, body] of [
      ['responses', file],
      ['anthropic', anthropicBlock({ type: 'image', source: labelled })],
      ['anthropic', anthropicBlock({ type: 'text', text: 'x', source: labelled })],
    ] as const)
      expect(input(protocol, body)).toBeGreaterThanOrEqual(MAX_CONTEXT_TOKENS);
  });

  it('is the longest answer that is known where neither the request nor the model has a limit', () => {
    expect(output('chat', chat({ model: 'a-model-of-our-own' }))).toBe(128_000);
    expect(output('chat', chat({ model: 'a-model-of-our-own', n: 2 }))).toBe(256_000);
  });

  it('takes the larger of two limits, times the answers that are asked for', () => {
    expect(output('chat', chat({ max_tokens: 500, max_completion_tokens: 5, n: 3 }))).toBe(1_500);
    expect(output('chat', chat({ n: 3 }))).toBe(3 * output('chat', chat({})));
    expect(output('gemini', gemini({ generationConfig: { maxOutputTokens: 10, candidateCount: 4 } }))).toBe(
      40,
    );
  });

  it.each([
    ['chat', chat({ n: '40' })],
    ['chat', chat({ n: 2.5 })],
    ['chat', chat({ max_tokens: '10' })],
    ['anthropic', anthropic({ max_tokens: -1 })],
    ['gemini', gemini({ generationConfig: [{ candidateCount: 8 }] })],
    ['gemini', gemini({ generation_config: { candidateCount: 8 } })],
  ] as const)('is refused in %s where a limit cannot be read: %j', (protocol, body) => {
    expect(parse(protocol, body)).toHaveProperty('problem');
  });

  it('is refused where the body is nested so deeply that it cannot be read', () => {
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    expect(problem('anthropic', `{"model":"m","messages":[],"system":${deep}}`)).toContain('levels');
  });
});
