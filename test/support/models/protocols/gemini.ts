import { type Answer, event, type Json, type Protocol, record, records } from '../protocol.ts';

function whole({ said, tokens, model, id }: Answer): Json {
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
export const gemini: Protocol = {
  path: /\/models\/[^/]+:(generateContent|streamGenerateContent)$/,
  read: (body, path) => ({
    model: decodeURIComponent(/\/models\/([^/:]+):/.exec(path)?.[1] ?? ''),
    tools: records(body['tools']).flatMap((tool) =>
      records(tool['functionDeclarations']).map(({ name }) => String(name)),
    ),
    done: records(body['contents'])
      .flatMap((each) => records(each['parts']))
      .filter((part) => part['functionCall'] !== undefined).length,
    stream: path.includes(':stream'),
    schema:
      record(body['generationConfig'])['responseJsonSchema'] ??
      record(body['generationConfig'])['responseSchema'],
  }),
  whole,
  events(answer) {
    const last = whole(answer);
    const first = {
      ...last,
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '' }] } }],
      ...(answer.tokens && { usageMetadata: { ...record(last['usageMetadata']), candidatesTokenCount: 0 } }),
    };
    return [event(first), event(last)];
  },
  failure: ({ status, message, google, after }) => ({
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
