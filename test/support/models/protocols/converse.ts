import { type Answer, type Json, type Protocol, record, records } from '../protocol.ts';

/** The schema of an answer: newer models are told it as such, others as the input of a tool that must be called. */
const formatOf = (body: Json): Json =>
  record(record(record(body['additionalModelRequestFields'])['output_config'])['format']);

function content({ said, id }: Answer): Json {
  if (said === 'refused') return { text: '' };
  return 'text' in said
    ? { text: said.text }
    : { toolUse: { toolUseId: `tooluse_${id}`, name: said.call.name, input: said.call.args } };
}

const stopReason = ({ said }: Answer): string => {
  if (said === 'refused') return 'guardrail_intervened';
  return 'call' in said ? 'tool_use' : 'end_turn';
};

/** Bedrock's Converse. Its answer does not name the model: the path has named it, and IAM allows that one. */
export const converse: Protocol = {
  path: /^\/model\/[^/]+\/converse$/,
  read(body, path) {
    const specs = records(record(body['toolConfig'])['tools']).map((tool) => record(tool['toolSpec']));
    const choice = record(record(body['toolConfig'])['toolChoice']);
    const forced = 'any' in choice || 'tool' in choice ? specs[0] : undefined;
    return {
      model: decodeURIComponent(path.split('/')[2] ?? ''),
      tools: specs.map(({ name }) => String(name)),
      done: 0,
      stream: false,
      schema: formatOf(body)['schema'],
      ...(forced && {
        forced: { name: String(forced['name']), schema: record(forced['inputSchema'])['json'] },
      }),
    };
  },
  whole: (answer) => ({
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
  events: () => [],
  failure: ({ message }) => ({ message }),
};
