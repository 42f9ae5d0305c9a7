import type { ModelApiProtocol } from '../../../../shared/contract/models/protocols.ts';

type Json = Record<string, unknown>;
const schema = { type: 'object', properties: { command: { type: 'string', title: 'url' } } };

/** Requests with each field that the real clients send, with short texts. `npm run test:cli` compares with the clients themselves. */
export const CLIENT_REQUESTS: Readonly<Record<string, { protocol: ModelApiProtocol; body: Json }>> = {
  'Claude Code': {
    protocol: 'anthropic',
    body: {
      model: 'claude-haiku-4-5',
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Greet', cache_control: { type: 'ephemeral', ttl: '1h' } }],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
            {
              type: 'tool_use',
              id: 'toolu_1',
              name: 'Bash',
              input: { command: 'ls', url: 'https://a.test', n: [1] },
            },
          ],
        },
        {
          role: 'user',
          content: [
            {
              tool_use_id: 'toolu_1',
              type: 'tool_result',
              content: [
                { type: 'text', text: 'ok' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
                { type: 'tool_reference', tool_name: 'Bash' },
              ],
              is_error: false,
            },
          ],
        },
      ],
      system: [{ type: 'text', text: 'You are', cache_control: { type: 'ephemeral' } }],
      tools: [{ name: 'Bash', description: 'execute', input_schema: schema }],
      tool_choice: { type: 'auto' },
      metadata: { user_id: '{"device_id":"c3"}' },
      max_tokens: 32_000,
      thinking: { budget_tokens: 31_999, type: 'enabled', display: 'updates' },
      output_config: { effort: 'high' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      stream: true,
    },
  },
  Codex: {
    protocol: 'responses',
    body: {
      model: 'gpt-5.6-luna',
      stream: true,
      instructions: 'You are Codex',
      input: [
        {
          type: 'additional_tools',
          id: 'at_1',
          role: 'developer',
          tools: [
            {
              type: 'namespace',
              name: 'functions',
              description: '',
              tools: [
                {
                  type: 'custom',
                  name: 'exec',
                  description: 'Run',
                  format: { type: 'grammar', syntax: 'lark', definition: 'start: x' },
                },
                { type: 'function', name: 'wait', description: 'Waits', strict: false, parameters: schema },
              ],
            },
          ],
        },
        { type: 'message', id: 'msg_1', role: 'user', content: [{ type: 'input_text', text: 'Greet' }] },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' },
        {
          type: 'custom_tool_call',
          id: 'ctc_5',
          status: 'completed',
          call_id: 'c5',
          name: 'exec',
          input: 'x()',
        },
        {
          type: 'custom_tool_call_output',
          id: 'ctco_1',
          call_id: 'c5',
          output: [
            { type: 'input_text', text: 'done' },
            { type: 'input_image', image_url: 'data:image/png;base64,iVBO', detail: 'high' },
          ],
        },
        { type: 'function_call', call_id: 'c6', name: 'wait', arguments: '{"a":1}' },
        { type: 'function_call_output', call_id: 'c6', output: 'ok' },
      ],
      tools: [{ type: 'local_shell' }],
      tool_choice: 'auto',
      parallel_tool_calls: false,
      reasoning: { effort: 'medium', context: 'all_turns', summary: 'auto' },
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: '01a2',
      text: { verbosity: 'low', format: { type: 'json_schema', strict: true, schema, name: 'out' } },
      client_metadata: { turn_id: '01', 'x-codex-window-id': '01:0' },
    },
  },
  'Gemini CLI': {
    protocol: 'gemini',
    body: {
      contents: [
        { parts: [{ text: 'Greet' }], role: 'user' },
        {
          parts: [
            {
              functionCall: { id: 'w_0', args: { path: 'a', uri: 'x' }, name: 'write_file' },
              thoughtSignature: 'c2ln',
            },
          ],
          role: 'model',
        },
        {
          parts: [
            { functionResponse: { id: 'w_0', name: 'write_file', response: { output: 'ok' } } },
            { inlineData: { mimeType: 'image/png', data: 'iVBO' } },
          ],
          role: 'user',
        },
      ],
      systemInstruction: { parts: [{ text: 'You are' }], role: 'user' },
      tools: [
        {
          functionDeclarations: [{ name: 'write_file', description: 'Writes', parametersJsonSchema: schema }],
        },
      ],
      generationConfig: {
        temperature: 1,
        topP: 0.95,
        topK: 64,
        thinkingConfig: { includeThoughts: true, thinkingBudget: 8_192 },
      },
    },
  },
  OpenCode: {
    protocol: 'chat',
    body: {
      model: 'gpt-5.6-luna',
      max_tokens: 32_000,
      messages: [
        { role: 'system', content: 'You are' },
        { role: 'user', content: [{ type: 'text', text: 'Greet' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'apply_patch', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'ok' },
      ],
      reasoning_effort: 'medium',
      tools: [
        { type: 'function', function: { name: 'apply_patch', description: 'Patches', parameters: schema } },
      ],
      tool_choice: 'auto',
      stream: true,
      stream_options: { include_usage: true },
    },
  },
};
