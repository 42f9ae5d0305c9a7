import { hasTurnLimit } from '../../../shared/contract/agents/adapter.ts';
import type { FailureCode } from '../../../shared/contract/failure/failure-class.ts';
import { getFailureClassOfHttpStatus } from '../../../shared/contract/failure/http-status.ts';
import type { AgentAdapter, AgentInvocation, AgentInvocationInput } from './adapter.ts';
import { observeMessageParts } from './claude.ts';
import {
  type JsonFields,
  toJsonArray,
  toJsonFields,
  toNonBlankText,
  toNonNegativeInteger,
} from './json-fields.ts';
import { type AgentFailure, type AgentRunState, buildAgentFailureDetails } from './run-state.ts';

function invoke({
  assignment,
  layout,
  promptArgument,
  modelAccess,
  instructions,
}: AgentInvocationInput): AgentInvocation {
  const { adapter, model } = assignment;
  const turns = hasTurnLimit(adapter) ? adapter.max_turns : undefined;
  return {
    argv: [
      ...['qwen', '-p', promptArgument],
      ...(model === null ? [] : ['-m', model]),
      ...['--auth-type', 'openai', '--output-format', 'stream-json', '--approval-mode', 'yolo'],
      ...(turns === undefined ? [] : ['--max-session-turns', String(turns)]),
    ],
    env: {
      ...(modelAccess && {
        OPENAI_BASE_URL: modelAccess.base_urls.openai,
        OPENAI_API_KEY: modelAccess.token,
      }),
      QWEN_CODE_SUPPRESS_YOLO_WARNING: '1',
      QWEN_CODE_NO_RELAUNCH: 'true',
    },
    files: {
      // It finds a QWEN.md or an AGENTS.md of the checkout by itself, and no other file.
      [`${layout.home}/.qwen/QWEN.md`]: [instructions.role, instructions.repository?.text ?? ''].join('\n'),
      [`${layout.home}/.qwen/settings.json`]: JSON.stringify({
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        // Waiting is the cascade's: after a rate limit it would wait for a minute.
        model: { generationConfig: { maxRetries: 0, timeout: 600_000 } },
      }),
    },
  };
}

/** Reads events in the format of Claude Code; the fields of the usage differ. */
function read(event: JsonFields, reading: AgentRunState): void {
  reading.sessionId = toNonBlankText(event['session_id']) ?? reading.sessionId;
  if (event['type'] === 'assistant') readTurn(toJsonFields(event['message']), reading);
  else if (event['type'] === 'result') readResult(event, reading);
}

function readTurn(message: JsonFields, reading: AgentRunState): void {
  reading.turns++;
  for (const part of toJsonArray(message['content']).map(toJsonFields)) {
    if (part['type'] === 'text') reading.lastMessage = toNonBlankText(part['text']) ?? reading.lastMessage;
    if (part['type'] !== 'tool_use') continue;
    reading.toolCalls++;
    const file = toNonBlankText(toJsonFields(part['input'])['file_path']);
    if (file !== null && part['name'] !== 'read_file') reading.changedFiles.add(file);
  }
}

function readResult(event: JsonFields, reading: AgentRunState): void {
  reading.hasEnded = true;
  const used = toJsonFields(event['usage']);
  const all = toNonNegativeInteger(used['input_tokens']);
  const output = toNonNegativeInteger(used['output_tokens']);
  const cached = toNonNegativeInteger(used['cache_read_input_tokens']) ?? 0;
  if (all !== null && output !== null && all + output > 0)
    reading.usageByModel.set('', {
      // Cached tokens are in it.
      input_tokens: Math.max(0, all - cached),
      output_tokens: output,
      cache_read_tokens: cached,
      cache_write_tokens: 0,
    });
  if (event['is_error'] === true) reading.failure = failureOf(event);
  else reading.lastMessage = toNonBlankText(event['result']) ?? reading.lastMessage;
}

/** Classifies by the words of the CLI, else by the provider's status, which begins the message. */
function failureOf(event: JsonFields): AgentFailure {
  const reason = toNonBlankText(toJsonFields(event['error'])['message']) ?? 'no reason given';
  const code = /^\[API Error: (\d{3})\b/.exec(reason)?.[1];
  const status = code === undefined ? null : Number(code);
  return {
    class:
      WORDS.find(([pattern]) => pattern.test(reason))?.[1] ??
      getFailureClassOfHttpStatus(status) ??
      'agent_failed',
    reason,
    ...buildAgentFailureDetails(status, toNonBlankText(event['subtype'])),
  };
}

const WORDS: readonly (readonly [RegExp, FailureCode])[] = [
  [/the budget of this attempt is spent|exceeded your current quota/, 'provider_spend_limit'],
  [/prompt is too long|maximum context length/, 'context_too_long'],
  [/^\[API Error: Model stream ended with empty response/, 'refused'],
  [/^\[API Error: (?:terminated|Connection error|.* in JSON)|fetch failed/, 'provider_transient'],
];

/** Exit code of a run that has used up its turns; it prints no result then. */
const TURN_LIMIT_EXIT_CODE = 53;
const failureAtExit: AgentAdapter['failureAtExit'] = (exitCode, { failure }) =>
  failure ??
  (exitCode === TURN_LIMIT_EXIT_CODE
    ? { class: 'turn_limit', reason: 'the agent reached its maximum of turns' }
    : null);

/** The program, `-p` and the prompt come first. */
const resume: AgentAdapter['resumeCommand'] = ([program = '', ...argv], session, message) => [
  ...[program, '-p', message, '--resume', session],
  ...argv.slice(2),
];

export const qwenAdapter: AgentAdapter = {
  invoke,
  stopSignals: ['SIGINT', 'SIGTERM'],
  readEvent: read,
  observeCalls: observeMessageParts,
  resumeCommand: resume,
  reportsSessionTotals: true,
  failureAtExit,
};
