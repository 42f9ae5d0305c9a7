import {
  asRecord,
  asRecordList,
  formatSseEvent,
  type Json,
  type ModelProtocol,
  type ScriptedModelResponse,
} from '../model-protocol.ts';

const usage = ({ tokens }: ScriptedModelResponse): Json | undefined =>
  tokens === null
    ? undefined
    : {
        input_tokens: tokens.input,
        cache_creation_input_tokens: tokens.cacheWrite,
        cache_read_input_tokens: tokens.cacheRead,
        output_tokens: tokens.output,
      };

const stopReason = ({ content }: ScriptedModelResponse): string => {
  if (content === 'refused') return 'refusal';
  return 'call' in content ? 'tool_use' : 'end_turn';
};

function content({ content: said, id }: ScriptedModelResponse): Json {
  if (said === 'refused') return { type: 'text', text: '' };
  return 'text' in said
    ? { type: 'text', text: said.text }
    : { type: 'tool_use', id: `toolu_${id}`, name: said.call.name, input: said.call.args };
}

const message = (answer: ScriptedModelResponse): Json => ({
  id: `msg_${answer.id}`,
  type: 'message',
  role: 'assistant',
  model: answer.model,
  content: [content(answer)],
  stop_reason: stopReason(answer),
  stop_sequence: null,
  usage: usage(answer),
});

/** Anthropic's Messages. */
export const anthropicProtocol: ModelProtocol = {
  path: /\/messages$/,
  parseRequest(body) {
    const tools = asRecordList(body['tools']);
    const choice = asRecord(body['tool_choice']);
    const wanted = choice['type'] === 'tool' || choice['type'] === 'any';
    const forced = wanted
      ? tools.find(({ name }) => choice['name'] === undefined || choice['name'] === name)
      : undefined;
    return {
      model: String(body['model']),
      tools: tools.map(({ name }) => String(name)),
      completedToolCalls: asRecordList(body['messages'])
        .flatMap((each) => asRecordList(each['content']))
        .filter(({ type }) => type === 'tool_use').length,
      stream: body['stream'] === true,
      schema: asRecord(asRecord(body['output_config'])['format'])['schema'],
      ...(forced && { forced: { name: String(forced['name']), schema: forced['input_schema'] } }),
    };
  },
  encodeResponse: message,
  encodeEvents(answer) {
    const block = content(answer);
    const isCall = block['type'] === 'tool_use';
    const counted = usage(answer);
    const named = (data: Json): string => formatSseEvent(data, String(data['type']));
    return [
      named({
        type: 'message_start',
        message: {
          ...message(answer),
          content: [],
          stop_reason: null,
          usage: counted && { ...counted, output_tokens: Math.min(1, Number(counted['output_tokens'])) },
        },
      }),
      named({
        type: 'content_block_start',
        index: 0,
        content_block: isCall ? { ...block, input: {} } : { type: 'text', text: '' },
      }),
      formatSseEvent({ type: 'ping' }, 'ping'),
      named({
        type: 'content_block_delta',
        index: 0,
        delta: isCall
          ? { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }
          : { type: 'text_delta', text: block['text'] },
      }),
      named({ type: 'content_block_stop', index: 0 }),
      named({
        type: 'message_delta',
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        usage: counted && { output_tokens: counted['output_tokens'] },
      }),
      named({ type: 'message_stop' }),
    ];
  },
  encodeFailure: ({ anthropic: type, message }) => ({
    type: 'error',
    error: { type, message },
    request_id: 'req_scripted',
  }),
};
