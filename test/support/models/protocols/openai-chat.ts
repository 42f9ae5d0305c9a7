import {
  asRecord,
  asRecordList,
  formatSseEvent,
  type Json,
  type ModelProtocol,
  type ScriptedModelResponse,
} from '../model-protocol.ts';
import { buildOpenaiError } from './openai-error.ts';

const usage = ({ tokens }: ScriptedModelResponse): Json | undefined => {
  if (tokens === null) return undefined;
  const prompt = tokens.input < 0 ? -1 : tokens.input + tokens.cacheRead;
  return {
    prompt_tokens: prompt,
    completion_tokens: tokens.output,
    total_tokens: prompt + tokens.output,
    prompt_tokens_details: { cached_tokens: tokens.cacheRead },
    completion_tokens_details: { reasoning_tokens: tokens.reasoning },
  };
};

function said({ content: said, id }: ScriptedModelResponse): { message: Json; reason: string } {
  if (said === 'refused')
    return {
      message: { role: 'assistant', content: null, refusal: 'I cannot help with that.' },
      reason: 'stop',
    };
  if ('text' in said) return { message: { role: 'assistant', content: said.text }, reason: 'stop' };
  const call = { name: said.call.name, arguments: JSON.stringify(said.call.args) };
  return {
    message: {
      role: 'assistant',
      content: null,
      tool_calls: [{ index: 0, id: `call_${id}`, type: 'function', function: call }],
    },
    reason: 'tool_calls',
  };
}

/** OpenAI's Chat Completions. Counts come in a stream only when it is asked for them. */
export const openaiChatProtocol: ModelProtocol = {
  path: /\/chat\/completions$/,
  parseRequest: (body) => ({
    model: String(body['model']),
    tools: asRecordList(body['tools']).map((tool) => String(asRecord(tool['function'])['name'])),
    completedToolCalls: asRecordList(body['messages']).flatMap((each) => asRecordList(each['tool_calls']))
      .length,
    stream: body['stream'] === true,
    schema: asRecord(asRecord(body['response_format'])['json_schema'])['schema'],
  }),
  encodeResponse(answer) {
    const { message, reason } = said(answer);
    return {
      id: `chatcmpl-${answer.id}`,
      object: 'chat.completion',
      created: 1,
      model: answer.model,
      choices: [{ index: 0, message, finish_reason: reason }],
      usage: usage(answer),
    };
  },
  encodeEvents(answer, body) {
    const { message, reason } = said(answer);
    const base = {
      id: `chatcmpl-${answer.id}`,
      object: 'chat.completion.chunk',
      created: 1,
      model: answer.model,
    };
    const chunk = (delta: Json, finish: string | null): string =>
      formatSseEvent({ ...base, choices: [{ index: 0, delta, finish_reason: finish }], usage: null });
    const counted = usage(answer);
    const wanted = asRecord(body['stream_options'])['include_usage'] === true;
    return [
      chunk({ role: 'assistant', content: '' }, null),
      chunk(message, null),
      chunk({}, reason),
      ...(wanted && counted ? [formatSseEvent({ ...base, choices: [], usage: counted })] : []),
      formatSseEvent('[DONE]'),
    ];
  },
  encodeFailure: buildOpenaiError,
};
