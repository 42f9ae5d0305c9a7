import {
  asRecord,
  asRecordList,
  formatSseEvent,
  type Json,
  type ModelProtocol,
  type ScriptedModelResponse,
} from '../model-protocol.ts';

function whole({ content: said, tokens, model, id }: ScriptedModelResponse): Json {
  const candidate =
    said === 'refused'
      ? { index: 0, finishReason: 'SAFETY' }
      : {
          index: 0,
          content: {
            role: 'model',
            parts: [
              'text' in said
                ? { text: said.text }
                : { functionCall: { name: said.call.name, args: said.call.args } },
            ],
          },
          finishReason: 'STOP',
        };
  const visible = tokens === null ? 0 : tokens.output - tokens.reasoning;
  const prompt = tokens === null ? 0 : tokens.input < 0 ? -1 : tokens.input + tokens.cacheRead;
  return {
    candidates: [candidate],
    ...(tokens && {
      usageMetadata: {
        promptTokenCount: prompt,
        candidatesTokenCount: tokens.output < 0 ? -1 : visible,
        cachedContentTokenCount: tokens.cacheRead,
        thoughtsTokenCount: tokens.reasoning,
        totalTokenCount: prompt + tokens.output,
      },
    }),
    modelVersion: model,
    responseId: id,
  };
}

/** Google's generateContent. Each event of a stream is a whole answer; the last one has all counts. */
export const geminiProtocol: ModelProtocol = {
  path: /\/models\/[^/]+:(generateContent|streamGenerateContent)$/,
  parseRequest: (body, path) => ({
    model: decodeURIComponent(/\/models\/([^/:]+):/.exec(path)?.[1] ?? ''),
    tools: asRecordList(body['tools']).flatMap((tool) =>
      asRecordList(tool['functionDeclarations']).map(({ name }) => String(name)),
    ),
    completedToolCalls: asRecordList(body['contents'])
      .flatMap((each) => asRecordList(each['parts']))
      .filter((part) => part['functionCall'] !== undefined).length,
    stream: path.includes(':stream'),
    schema:
      asRecord(body['generationConfig'])['responseJsonSchema'] ??
      asRecord(body['generationConfig'])['responseSchema'],
  }),
  encodeResponse: whole,
  encodeEvents(answer) {
    const last = whole(answer);
    const first = {
      ...last,
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '' }] } }],
      ...(answer.tokens && {
        usageMetadata: { ...asRecord(last['usageMetadata']), candidatesTokenCount: 0 },
      }),
    };
    return [formatSseEvent(first), formatSseEvent(last)];
  },
  encodeFailure: ({ status, message, google, after }) => ({
    error: {
      code: status,
      message,
      status: google,
      ...(after !== null && {
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${after}s` }],
      }),
    },
  }),
};
