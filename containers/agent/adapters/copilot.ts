import { COPILOT_MANIFEST } from '../../../shared/contract/agents/copilot-manifest.ts';
import type { FailureCode } from '../../../shared/contract/failure/failure-class.ts';
import { getFailureClassOfHttpStatus } from '../../../shared/contract/failure/http-status.ts';
import type { AgentAdapter, AgentInvocation, AgentInvocationInput } from './adapter.ts';
import { type AgentCallEventReader, formatToolInput } from './agent-call-event.ts';
import {
  type JsonFields,
  toJsonArray,
  toJsonFields,
  toNonBlankText,
  toNonNegativeInteger,
  tryParseJson,
} from './json-fields.ts';
import { type AgentFailure, type AgentRunState, buildAgentFailureDetails } from './run-state.ts';

function invoke({
  assignment,
  layout,
  promptArgument,
  modelAccess,
  instructions,
}: AgentInvocationInput): AgentInvocation {
  const { model, effort } = assignment;
  return {
    argv: [
      ...['copilot', '-p', promptArgument, '--output-format', 'json'],
      ...(model === null ? [] : ['--model', model]),
      ...['--reasoning-effort', COPILOT_MANIFEST.effortLevels[effort]],
      ...['--allow-all-tools', '--allow-all-paths', '--no-color', '--disable-builtin-mcps'],
    ],
    env: {
      ...(modelAccess && {
        COPILOT_PROVIDER_BASE_URL: modelAccess.base_urls.openai,
        COPILOT_PROVIDER_API_KEY: modelAccess.token,
        // No sign-in at GitHub, no telemetry, no update, no tools of the web.
        COPILOT_OFFLINE: 'true',
      }),
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_HOME: `${layout.home}/.copilot`,
      COPILOT_CUSTOM_INSTRUCTIONS_DIRS: `${layout.home}/instructions`,
    },
    files: {
      // It finds an AGENTS.md of the checkout by itself.
      [`${layout.home}/instructions/AGENTS.md`]: [
        instructions.role,
        instructions.repository?.text ?? '',
      ].join('\n'),
    },
  };
}

function read(event: JsonFields, reading: AgentRunState): void {
  const data = toJsonFields(event['data']);
  switch (event['type']) {
    case 'assistant.message':
      reading.turns++;
      reading.toolCalls += toJsonArray(data['toolRequests']).length;
      reading.lastMessage = toNonBlankText(data['content']) ?? reading.lastMessage;
      reading.failure = null;
      break;
    case 'tool.execution_start': {
      const file = toNonBlankText(toJsonFields(data['arguments'])['path']);
      if (file !== null && data['toolName'] !== 'view') reading.changedFiles.add(file);
      break;
    }
    case 'model.call_failure':
      reading.failure = failureOf(data);
      break;
    case 'session.error':
      reading.failure ??= sessionFailureOf(data);
      break;
    case 'result':
      reading.hasEnded = true;
      reading.sessionId = toNonBlankText(event['sessionId']) ?? reading.sessionId;
      // A call that failed and was made again is no failure of the run.
      if (event['exitCode'] === 0) reading.failure = null;
      else reading.failure ??= { class: 'agent_failed', reason: 'the agent gives no reason' };
      break;
  }
}

const observe: AgentCallEventReader = (event) => {
  const data = toJsonFields(event['data']);
  const id = toNonBlankText(data['toolCallId']) ?? '';
  switch (event['type']) {
    case 'assistant.message':
      return [{ kind: 'model', text: toNonBlankText(data['content']) }];
    case 'tool.execution_start': {
      const given = toJsonFields(data['arguments']);
      const tool = toNonBlankText(data['toolName']) ?? 'unknown';
      return [{ kind: 'call', id, tool, input: formatToolInput(given, given['command']) }];
    }
    case 'tool.execution_complete':
      return [
        {
          kind: 'result',
          id,
          output: formatToolInput(toJsonFields(data['result'])['content'] ?? ''),
          isError: data['success'] !== true,
        },
      ];
    default:
      return [];
  }
};

/** Classifies a failed call by the provider's own code, then by its status. */
function failureOf(data: JsonFields): AgentFailure {
  const message = toNonBlankText(data['errorMessage']);
  const error = toJsonFields(tryParseJson(message ?? ''));
  const code = toNonBlankText(error['code']);
  const status = toNonNegativeInteger(data['statusCode']);
  return {
    class: BY_CODE[code ?? ''] ?? getFailureClassOfHttpStatus(status) ?? 'provider_transient',
    reason: toNonBlankText(error['message']) ?? message ?? 'the model gave no answer',
    ...buildAgentFailureDetails(status, code),
  };
}

/** An error that is no answer of a provider: the model has said nothing, or the CLI cannot work. */
function sessionFailureOf(data: JsonFields): AgentFailure {
  const reason = toNonBlankText(data['message']) ?? 'no reason given';
  const status = toNonNegativeInteger(data['statusCode']);
  return {
    class: /^No response was returned/.test(reason)
      ? 'refused'
      : (getFailureClassOfHttpStatus(status) ?? 'agent_failed'),
    reason,
    ...buildAgentFailureDetails(status, toNonBlankText(data['errorType'])),
  };
}

const BY_CODE: Readonly<Record<string, FailureCode>> = {
  context_length_exceeded: 'context_too_long',
  insufficient_quota: 'provider_spend_limit',
};

/** The program, `-p` and the prompt come first. The CLI names its session at its end only: one that is silent cannot be told to go on. */
const resume: AgentAdapter['resumeCommand'] = ([program = '', ...argv], session, message) => [
  ...[program, '-p', message, `--resume=${session}`],
  ...argv.slice(2),
];

export const copilotAdapter: AgentAdapter = {
  invoke,
  stopSignals: ['SIGINT', 'SIGTERM'],
  readEvent: read,
  observeCalls: observe,
  resumeCommand: resume,
};
