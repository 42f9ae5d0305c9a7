import { classOfStatus } from '../../../shared/contract/failure/status.ts';
import type { Effort } from '../../../shared/contract/submission/schema.ts';
import type { AgentAdapter, Invocation, Job } from './adapter.ts';
import { amount, count, type Fields, fields, json, text } from './fields.ts';
import { HOLD_S } from './hold.ts';
import { type Failure, type Reading, said } from './reading.ts';
import { asText, type Observe } from './seen.ts';

const EFFORT: Readonly<Record<Effort, string>> = {
  low: 'low',
  normal: 'medium',
  medium: 'medium',
  high: 'high',
  max: 'max',
};
const TOKEN = 'ASSAY_MODEL_TOKEN';

/** A plugin of ours: what it throws before a call keeps the call from being made, and is told to the model. */
const plugin = (url: string): string => `const ask = async (event) =>
  (await fetch(${JSON.stringify(url)}, {
    method: 'POST',
    body: JSON.stringify(event),
    signal: AbortSignal.timeout(${HOLD_S * 1_000}),
  })).json();

export const Hold = async () => ({
  'tool.execute.before': async ({ tool, callID }, { args }) => {
    const answer = await ask({ hook_event_name: 'PreToolUse', tool_use_id: callID, tool_name: tool, tool_input: args });
    const { permissionDecision, permissionDecisionReason } = answer.hookSpecificOutput ?? {};
    if (permissionDecision === 'deny') throw new Error(permissionDecisionReason);
  },
  'tool.execute.after': async ({ tool, callID }, { output }) => {
    await ask({ hook_event_name: 'PostToolUse', tool_use_id: callID, tool_name: tool, tool_response: output });
  },
});
`;

function invoke({ assignment, places, prompt, models, instructions, holdUrl }: Job): Invocation {
  const model = assignment.model ?? 'default';
  const config = {
    autoupdate: false,
    share: 'disabled',
    ...(models && {
      provider: {
        assay: {
          npm: '@ai-sdk/openai-compatible',
          name: 'assay',
          options: { baseURL: models.base_urls.openai, apiKey: `{env:${TOKEN}}` },
          models: { [model]: {} },
        },
      },
    }),
  };
  return {
    argv: [
      ...['opencode', 'run', '--format', 'json', '--auto', '-m', `assay/${model}`],
      // Pure, it loads no plugin at all.
      ...(holdUrl === null ? ['--pure'] : []),
      ...['--variant', EFFORT[assignment.effort]],
      prompt,
    ],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      ...(models && { [TOKEN]: models.token }),
      XDG_DATA_HOME: `${places.home}/.local/share`,
      XDG_CONFIG_HOME: `${places.home}/.config`,
      XDG_CACHE_HOME: `${places.home}/.cache`,
      XDG_STATE_HOME: `${places.home}/.local/state`,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      // Plugins of the checkout, and its AGENTS.md with them.
      ...(holdUrl !== null && { OPENCODE_DISABLE_PROJECT_CONFIG: '1' }),
    },
    files: {
      // Read beside the AGENTS.md of the checkout, which it finds by itself unless it is to read nothing of it.
      [`${places.home}/.config/opencode/AGENTS.md`]:
        holdUrl === null
          ? instructions.role
          : [instructions.role, instructions.repository?.text ?? ''].join('\n'),
      ...(holdUrl !== null && { [`${places.home}/.config/opencode/plugin/hold.js`]: plugin(holdUrl) }),
    },
  };
}

function read(event: Fields, reading: Reading): void {
  reading.session = text(event['sessionID']) ?? reading.session;
  const part = fields(event['part']);
  switch (event['type']) {
    case 'text':
      reading.message = text(part['text']) ?? reading.message;
      break;
    case 'tool_use': {
      reading.tools++;
      const state = fields(part['state']);
      if (state['status'] !== 'error' && part['tool'] !== 'read')
        for (const file of filesOf(fields(state['input']))) reading.files.add(file);
      break;
    }
    case 'step_finish':
      readStep(part, reading);
      break;
    case 'error':
      reading.ended = true;
      reading.failure = failureOf(fields(event['error']));
      break;
  }
}

/** A tool is shown when it has ended; a step is one answer of the model, with its words before its end. */
const observe: Observe = (event) => {
  const part = fields(event['part']);
  if (event['type'] === 'text') return [{ kind: 'model', text: text(part['text']) }];
  if (event['type'] !== 'tool_use') return [];
  const state = fields(part['state']);
  return [
    {
      kind: 'done',
      tool: text(part['tool']) ?? 'unknown',
      input: asText(state['input'], fields(state['input'])['command']),
      output: asText(state['output'] ?? ''),
      failed: state['status'] === 'error',
    },
  ];
};

/** Which files a tool was told to write: it has one, or a patch of several. */
function filesOf(input: Fields): string[] {
  const file = text(input['filePath']);
  const patched = (text(input['patchText']) ?? '').matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm);
  return [...(file === null ? [] : [file]), ...[...patched].map(([, path = '']) => path)];
}

/** Tokens and dollars of one step; the sums are ours. */
function readStep(part: Fields, reading: Reading): void {
  reading.turns++;
  reading.stopReason = text(part['reason']);
  reading.ended = reading.stopReason !== 'tool-calls';
  const tokens = fields(part['tokens']);
  const cache = fields(tokens['cache']);
  const input = count(tokens['input']);
  const output = count(tokens['output']);
  const before = reading.usage.get('');
  if (input !== null && output !== null)
    reading.usage.set('', {
      input_tokens: (before?.input_tokens ?? 0) + input,
      output_tokens: (before?.output_tokens ?? 0) + output + (count(tokens['reasoning']) ?? 0),
      cache_read_tokens: (before?.cache_read_tokens ?? 0) + (count(cache['read']) ?? 0),
      cache_write_tokens: (before?.cache_write_tokens ?? 0) + (count(cache['write']) ?? 0),
    });
  const cost = amount(part['cost']);
  if (cost !== null) reading.costUsd = (reading.costUsd ?? 0) + cost;
}

function failureOf(error: Fields): Failure {
  const data = fields(error['data']);
  const reason = text(data['message']) ?? text(error['name']) ?? 'no reason given';
  const status = count(data['statusCode']);
  const name = text(error['name']);
  if (name === 'ContextOverflowError') return { class: 'context_too_long', reason, ...said(status, name) };
  const { code } = fields(fields(json(text(data['responseBody']) ?? ''))['error']);
  if (code === 'insufficient_quota') return { class: 'provider_spend_limit', reason, ...said(status, code) };
  return { class: classOfStatus(status) ?? 'agent_failed', reason, ...said(status, text(code) ?? name) };
}

/** The prompt comes last. */
const resume: AgentAdapter['resume'] = (argv, session, message) => [
  ...argv.slice(0, -1),
  ...['--session', session],
  message,
];

/** Sessions are rows of one database. */
const record: AgentAdapter['record'] = {
  gives: (session) => ['opencode', 'export', session, '--pure'],
  takes: (file) => ['opencode', 'import', file, '--pure'],
};

export const opencode: AgentAdapter = {
  invoke,
  stop: ['SIGINT', 'SIGTERM'],
  read,
  observe,
  holds: true,
  resume,
  record,
};
