import {
  asRecord,
  asRecordList,
  type Json,
  type ModelProtocol,
  type ScriptedModelResponse,
} from '../model-protocol.ts';

/** The schema of an answer: newer models are told it as such, others as the input of a tool that must be called. */
const formatOf = (body: Json): Json =>
  asRecord(asRecord(asRecord(body['additionalModelRequestFields'])['output_config'])['format']);

function content({ content: said, id }: ScriptedModelResponse): Json {
  if (said === 'refused') return { text: '' };
  return 'text' in said
    ? { text: said.text }
    : { toolUse: { toolUseId: `tooluse_${id}`, name: said.call.name, input: said.call.args } };
}

const stopReason = ({ content }: ScriptedModelResponse): string => {
  if (content === 'refused') return 'guardrail_intervened';
  return 'call' in content ? 'tool_use' : 'end_turn';
};

/** Bedrock's Converse. Its answer does not name the model: the path has named it, and IAM allows that one. */
export const bedrockConverseProtocol: ModelProtocol = {
  path: /^\/model\/[^/]+\/converse$/,
  parseRequest(body, path) {
    const specs = asRecordList(asRecord(body['toolConfig'])['tools']).map((tool) =>
      asRecord(tool['toolSpec']),
    );
    const choice = asRecord(asRecord(body['toolConfig'])['toolChoice']);
    const forced = 'any' in choice || 'tool' in choice ? specs[0] : undefined;
    return {
      model: decodeURIComponent(path.split('/')[2] ?? ''),
      tools: specs.map(({ name }) => String(name)),
      completedToolCalls: 0,
      stream: false,
      schema: formatOf(body)['schema'],
      ...(forced && {
        forced: { name: String(forced['name']), schema: asRecord(forced['inputSchema'])['json'] },
      }),
    };
  },
  encodeResponse: (answer) => ({
    output: { message: { role: 'assistant', content: [content(answer)] } },
    stopReason: stopReason(answer),
    metrics: { latencyMs: 12 },
    ...(answer.tokens && {
      usage: {
        inputTokens: answer.tokens.input,
        outputTokens: answer.tokens.output,
        totalTokens: answer.tokens.input + answer.tokens.output,
      },
    }),
  }),
  encodeEvents: () => [],
  encodeFailure: ({ message }) => ({ message }),
};
