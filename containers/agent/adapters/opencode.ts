import { OPENCODE_MANIFEST } from '../../../shared/contract/agents/opencode-manifest.ts';
import { getFailureClassOfHttpStatus } from '../../../shared/contract/failure/http-status.ts';
import type { AgentAdapter, AgentInvocation, AgentInvocationInput } from './adapter.ts';
import { type AgentCallEventReader, formatToolInput } from './agent-call-event.ts';
import {
  type JsonFields,
  toJsonFields,
  toNonBlankText,
  toNonNegativeInteger,
  toNonNegativeNumber,
  tryParseJson,
} from './json-fields.ts';
import { type AgentFailure, type AgentRunState, buildAgentFailureDetails } from './run-state.ts';
import { TOOL_HOOK_TIMEOUT_S } from './tool-hook.ts';

const TOKEN = 'ASSAY_MODEL_TOKEN';

/** A plugin of ours: what it throws before a call keeps the call from being made, and is told to the model. */
const plugin = (url: string): string => `const ask = async (event) =>
  (await fetch(${JSON.stringify(url)}, {
    method: 'POST',
    body: JSON.stringify(event),
    signal: AbortSignal.timeout(${TOOL_HOOK_TIMEOUT_S * 1_000}),
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

function invoke({
  assignment,
  layout,
  promptArgument,
  modelAccess,
  instructions,
  toolHookUrl,
}: AgentInvocationInput): AgentInvocation {
  const model = assignment.model ?? 'default';
  const config = {
    autoupdate: false,
    share: 'disabled',
    ...(modelAccess && {
      small_model: `assay/${model}`,
      provider: {
        assay: {
          npm: '@ai-sdk/openai-compatible',
          name: 'assay',
          options: { baseURL: modelAccess.base_urls.openai, apiKey: `{env:${TOKEN}}` },
          models: { [model]: {} },
        },
      },
    }),
  };
  return {
    argv: [
      ...['opencode', 'run', '--format', 'json', '--auto', '-m', `assay/${model}`],
      // Pure, it loads no plugin at all.
      ...(toolHookUrl === null ? ['--pure'] : []),
      ...['--variant', OPENCODE_MANIFEST.effortLevels[assignment.effort]],
      promptArgument,
    ],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      ...(modelAccess && { [TOKEN]: modelAccess.token }),
      XDG_DATA_HOME: `${layout.home}/.local/share`,
      // With hooks, all that configures it is where the agent cannot write.
      XDG_CONFIG_HOME: toolHookUrl === null ? `${layout.home}/.config` : layout.hookFolder,
      XDG_CACHE_HOME: `${layout.home}/.cache`,
      XDG_STATE_HOME: `${layout.home}/.local/state`,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      // Plugins of the checkout, and its AGENTS.md with them.
      ...(toolHookUrl !== null && { OPENCODE_DISABLE_PROJECT_CONFIG: '1' }),
    },
    files: {
      // Read beside the AGENTS.md of the checkout, which it finds by itself unless it is to read nothing of it.
      [`${toolHookUrl === null ? `${layout.home}/.config` : layout.hookFolder}/opencode/AGENTS.md`]:
        toolHookUrl === null
          ? instructions.role
          : [instructions.role, instructions.repository?.text ?? ''].join('\n'),
      ...(toolHookUrl !== null && {
        [`${layout.hookFolder}/opencode/plugin/hold.js`]: plugin(toolHookUrl),
      }),
    },
    ...(toolHookUrl !== null && { removed: ['.opencode'] }),
  };
}

function read(event: JsonFields, reading: AgentRunState): void {
  reading.sessionId = toNonBlankText(event['sessionID']) ?? reading.sessionId;
  const part = toJsonFields(event['part']);
  switch (event['type']) {
    case 'text':
      reading.lastMessage = toNonBlankText(part['text']) ?? reading.lastMessage;
      break;
    case 'tool_use': {
      reading.toolCalls++;
      const state = toJsonFields(part['state']);
      if (state['status'] !== 'error' && part['tool'] !== 'read')
        for (const file of filesOf(toJsonFields(state['input']))) reading.changedFiles.add(file);
      break;
    }
    case 'step_finish':
      readStep(part, reading);
      break;
    case 'error':
      reading.hasEnded = true;
      reading.failure = failureOf(toJsonFields(event['error']));
      break;
  }
}

/** A tool is shown when it has ended; a step is one answer of the model, with its words before its end. */
const observe: AgentCallEventReader = (event) => {
  const part = toJsonFields(event['part']);
  if (event['type'] === 'text') return [{ kind: 'model', text: toNonBlankText(part['text']) }];
  if (event['type'] !== 'tool_use') return [];
  const state = toJsonFields(part['state']);
  return [
    {
      kind: 'done',
      tool: toNonBlankText(part['tool']) ?? 'unknown',
      input: formatToolInput(state['input'], toJsonFields(state['input'])['command']),
      output: formatToolInput(state['output'] ?? ''),
      isError: state['status'] === 'error',
    },
  ];
};

/** Which files a tool was told to write: it has one, or a patch of several. */
function filesOf(input: JsonFields): string[] {
  const file = toNonBlankText(input['filePath']);
  const patched = (toNonBlankText(input['patchText']) ?? '').matchAll(
    /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm,
  );
  return [...(file === null ? [] : [file]), ...[...patched].map(([, path = '']) => path)];
}

/** Tokens and dollars of one step; the sums are ours. */
function readStep(part: JsonFields, reading: AgentRunState): void {
  reading.turns++;
  reading.stopReason = toNonBlankText(part['reason']);
  reading.hasEnded = reading.stopReason !== 'tool-calls';
  const tokens = toJsonFields(part['tokens']);
  const cache = toJsonFields(tokens['cache']);
  const input = toNonNegativeInteger(tokens['input']);
  const output = toNonNegativeInteger(tokens['output']);
  const before = reading.usageByModel.get('');
  if (input !== null && output !== null)
    reading.usageByModel.set('', {
      input_tokens: (before?.input_tokens ?? 0) + input,
      output_tokens: (before?.output_tokens ?? 0) + output + (toNonNegativeInteger(tokens['reasoning']) ?? 0),
      cache_read_tokens: (before?.cache_read_tokens ?? 0) + (toNonNegativeInteger(cache['read']) ?? 0),
      cache_write_tokens: (before?.cache_write_tokens ?? 0) + (toNonNegativeInteger(cache['write']) ?? 0),
    });
  const cost = toNonNegativeNumber(part['cost']);
  if (cost !== null) reading.costUsd = (reading.costUsd ?? 0) + cost;
}

function failureOf(error: JsonFields): AgentFailure {
  const data = toJsonFields(error['data']);
  const reason = toNonBlankText(data['message']) ?? toNonBlankText(error['name']) ?? 'no reason given';
  const status = toNonNegativeInteger(data['statusCode']);
  const name = toNonBlankText(error['name']);
  if (name === 'ContextOverflowError')
    return { class: 'context_too_long', reason, ...buildAgentFailureDetails(status, name) };
  const { code } = toJsonFields(
    toJsonFields(tryParseJson(toNonBlankText(data['responseBody']) ?? ''))['error'],
  );
  if (code === 'insufficient_quota')
    return { class: 'provider_spend_limit', reason, ...buildAgentFailureDetails(status, code) };
  return {
    class: getFailureClassOfHttpStatus(status) ?? 'agent_failed',
    reason,
    ...buildAgentFailureDetails(status, toNonBlankText(code) ?? name),
  };
}

/** The prompt comes last. */
const resume: AgentAdapter['resumeCommand'] = (argv, session, message) => [
  ...argv.slice(0, -1),
  ...['--session', session],
  message,
];

/** Sessions are rows of one database. */
const record: AgentAdapter['sessionRecord'] = {
  exportCommand: (session) => ['opencode', 'export', session, '--pure'],
  importCommand: (file) => ['opencode', 'import', file, '--pure'],
};

export const openCodeAdapter: AgentAdapter = {
  invoke,
  stopSignals: ['SIGINT', 'SIGTERM'],
  readEvent: read,
  observeCalls: observe,
  supportsToolHook: true,
  resumeCommand: resume,
  sessionRecord: record,
};
