import {
  asRecord,
  asRecordList,
  formatSseEvent,
  type Json,
  type ModelProtocol,
  type ScriptedModelResponse,
} from '../model-protocol.ts';
import { buildOpenaiError } from './openai-error.ts';

const usage = ({ tokens }: ScriptedModelResponse): Json | null => {
  if (tokens === null) return null;
  const input = tokens.input < 0 ? -1 : tokens.input + tokens.cacheRead;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: tokens.cacheRead },
    output_tokens: tokens.output,
    output_tokens_details: { reasoning_tokens: tokens.reasoning },
    total_tokens: input + tokens.output,
  };
};

/** Newest models get their tools as an item of the input, in groups. */
const offered = (body: Json): readonly Json[] => [
  ...asRecordList(body['tools']),
  ...asRecordList(body['input'])
    .filter(({ type }) => type === 'additional_tools')
    .flatMap((item) => asRecordList(item['tools']))
    .flatMap((tool) => (Array.isArray(tool['tools']) ? asRecordList(tool['tools']) : [tool])),
];

function item({ content: said, id }: ScriptedModelResponse, body: Json): Json {
  if (said !== 'refused' && 'call' in said) {
    const { name, args, freeText } = said.call;
    const tool = offered(body).find((each) => each['name'] === name);
    return freeText !== undefined && (name === 'exec' || tool?.['type'] === 'custom')
      ? {
          type: 'custom_tool_call',
          id: `ctc_${id}`,
          call_id: `call_${id}`,
          name,
          input: freeText,
          status: 'completed',
        }
      : {
          type: 'function_call',
          id: `fc_${id}`,
          call_id: `call_${id}`,
          name,
          arguments: JSON.stringify(args),
          status: 'completed',
        };
  }
  const content =
    said === 'refused'
      ? { type: 'refusal', refusal: 'I cannot help with that.' }
      : { type: 'output_text', text: said.text, annotations: [] };
  return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content: [content] };
}

const response = (answer: ScriptedModelResponse, body: Json): Json => ({
  id: `resp_${answer.id}`,
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: answer.model,
  output: [item(answer, body)],
  error: null,
  incomplete_details: null,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  usage: usage(answer),
});

/** OpenAI's Responses. */
export const openaiResponsesProtocol: ModelProtocol = {
  path: /\/responses$/,
  parseRequest: (body) => ({
    model: String(body['model']),
    tools: offered(body).map((tool) => String(tool['name'] ?? tool['type'])),
    completedToolCalls: asRecordList(body['input']).filter(({ type }) =>
      /^(custom_tool|function|local_shell)_call$/.test(String(type)),
    ).length,
    stream: body['stream'] === true,
    schema: asRecord(asRecord(body['text'])['format'])['schema'],
  }),
  encodeResponse: response,
  encodeEvents(answer, body) {
    const whole = response(answer, body);
    const made = item(answer, body);
    const text = answer.content !== 'refused' && 'text' in answer.content ? answer.content.text : null;
    const started = made['type'] === 'message' ? { ...made, status: 'in_progress', content: [] } : made;
    const events: readonly (readonly [string, Json])[] = [
      ['response.created', { response: { ...whole, status: 'in_progress', output: [], usage: null } }],
      ['response.output_item.added', { output_index: 0, item: started }],
      ...(text === null
        ? []
        : ([
            [
              'response.output_text.delta',
              { item_id: made['id'], output_index: 0, content_index: 0, delta: text },
            ],
          ] as const)),
      ['response.output_item.done', { output_index: 0, item: made }],
      ['response.completed', { response: whole }],
    ];
    return events.map(([type, data], index) =>
      formatSseEvent({ type, sequence_number: index, ...data }, type),
    );
  },
  encodeFailure: buildOpenaiError,
};
