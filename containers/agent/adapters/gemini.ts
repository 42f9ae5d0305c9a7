import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { hasTurnLimit } from '../../../shared/contract/agents/adapter.ts';
import type { FailureCode } from '../../../shared/contract/failure/failure-class.ts';
import { getFailureClassOfHttpStatus } from '../../../shared/contract/failure/http-status.ts';
import type { AgentAdapter, AgentInvocation, AgentInvocationInput } from './adapter.ts';
import { type AgentCallEventReader, formatToolInput } from './agent-call-event.ts';
import {
  type JsonFields,
  toJsonFields,
  toNonBlankText,
  toNonNegativeInteger,
  tryParseJson,
} from './json-fields.ts';
import { type AgentFailure, type AgentRunState, buildAgentFailureDetails } from './run-state.ts';
import { buildToolHookCommand, TOOL_HOOK_TIMEOUT_S } from './tool-hook.ts';

/**
 * Its hooks are programs, and know no time but milliseconds. Any settings file can turn a hook off by its name, so each start has a
 * name that no earlier run could know.
 */
function toolHookSettings({ command }: ReturnType<typeof buildToolHookCommand>) {
  const asks = [
    {
      hooks: [
        { name: `assay-${randomUUID()}`, type: 'command', command, timeout: TOOL_HOOK_TIMEOUT_S * 1_000 },
      ],
    },
  ];
  return { hooksConfig: { enabled: true }, hooks: { BeforeTool: asks, AfterTool: asks } };
}

function invoke({
  assignment,
  layout,
  promptArgument,
  modelAccess,
  instructions,
  toolHookUrl,
}: AgentInvocationInput): AgentInvocation {
  const { adapter, model } = assignment;
  const asks = toolHookUrl === null ? null : buildToolHookCommand(layout, toolHookUrl);
  // System settings win over those of the home and of the checkout; they are read only where none but root can write them.
  const settings = layout.isHookFolderProtected
    ? `${layout.hookFolder}/gemini.json`
    : `${layout.home}/.gemini/settings.json`;
  const turns = hasTurnLimit(adapter) ? adapter.max_turns : undefined;
  return {
    argv: [
      ...['gemini', '-p', promptArgument],
      ...(model === null ? [] : ['-m', model]),
      ...['--output-format', 'stream-json', '--approval-mode', 'yolo', '--skip-trust'],
    ],
    env: {
      ...(modelAccess && {
        GOOGLE_GEMINI_BASE_URL: modelAccess.base_urls.gemini,
        GEMINI_API_KEY: modelAccess.token,
      }),
      GEMINI_CLI_HOME: layout.home,
      ...(layout.isHookFolderProtected && { GEMINI_CLI_SYSTEM_SETTINGS_PATH: settings }),
      GEMINI_CLI_NO_RELAUNCH: 'true',
    },
    files: {
      ...asks?.files,
      // It finds a GEMINI.md of the checkout by itself, and no other file.
      [`${layout.home}/.gemini/GEMINI.md`]: [instructions.role, instructions.repository?.text ?? ''].join(
        '\n',
      ),
      [settings]: JSON.stringify({
        general: { enableAutoUpdate: false, maxAttempts: 2 },
        ...(turns === undefined ? {} : { model: { maxSessionTurns: turns } }),
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        ...(asks && toolHookSettings(asks)),
        security: { auth: { selectedType: 'gemini-api-key' } },
      }),
    },
  };
}

const WRITING_TOOLS: readonly unknown[] = ['write_file', 'replace', 'edit'];

function read(event: JsonFields, reading: AgentRunState): void {
  switch (event['type']) {
    case 'init':
      reading.sessionId = toNonBlankText(event['session_id']);
      break;
    case 'message':
      if (event['role'] === 'assistant') readWords(event, reading);
      break;
    case 'tool_use': {
      reading.toolCalls++;
      reading.lastMessage = null;
      const file = toNonBlankText(toJsonFields(event['parameters'])['file_path']);
      if (file !== null && WRITING_TOOLS.includes(event['tool_name'])) reading.changedFiles.add(file);
      break;
    }
    case 'error':
      reading.stopReason = toNonBlankText(event['message']);
      break;
    case 'result':
      readResult(event, reading);
      break;
  }
}

/** Words of the model come in pieces, of which each is one. */
const observe: AgentCallEventReader = (event) => {
  const id = toNonBlankText(event['tool_id']) ?? '';
  switch (event['type']) {
    case 'message':
      return event['role'] === 'assistant' ? [{ kind: 'model', text: toNonBlankText(event['content']) }] : [];
    case 'tool_use': {
      const given = event['parameters'];
      const tool = toNonBlankText(event['tool_name']) ?? 'unknown';
      return [{ kind: 'call', id, tool, input: formatToolInput(given, toJsonFields(given)['command']) }];
    }
    case 'tool_result':
      return [
        {
          kind: 'result',
          id,
          output: formatToolInput(event['output'] ?? ''),
          isError: event['status'] !== 'success',
        },
      ];
    default:
      return [];
  }
};

function readWords(event: JsonFields, reading: AgentRunState): void {
  const said = toNonBlankText(event['content']) ?? '';
  if (reading.lastMessage === null) reading.turns++;
  reading.lastMessage = event['delta'] === true ? `${reading.lastMessage ?? ''}${said}` : said;
}

function readResult(event: JsonFields, reading: AgentRunState): void {
  reading.hasEnded = true;
  for (const [model, of] of Object.entries(toJsonFields(toJsonFields(event['stats'])['models']))) {
    const used = toJsonFields(of);
    const total = toNonNegativeInteger(used['total_tokens']);
    const all = toNonNegativeInteger(used['input_tokens']);
    const input = toNonNegativeInteger(used['input']);
    if (total === null || all === null || input === null || total < all) continue;
    reading.usageByModel.set(model, {
      input_tokens: input,
      // Thoughts are in the total only.
      output_tokens: total - all,
      cache_read_tokens: toNonNegativeInteger(used['cached']) ?? 0,
      cache_write_tokens: 0,
    });
  }
  if (event['status'] !== 'success') reading.failure = failureOf(event, reading);
}

/** By the type of the CLI's own error, then by the code in the provider's answer, which is in the message as it came. */
function failureOf(event: JsonFields, { stopReason }: AgentRunState): AgentFailure {
  const error = toJsonFields(event['error']);
  const message = toNonBlankText(error['message']);
  if (message === null)
    return {
      class: /^Model stream ended/.test(stopReason ?? '') ? 'provider_transient' : 'refused',
      reason: stopReason ?? 'the model gave no answer',
    };
  const answer = /^\[API Error: (\{.*\})\]/s.exec(message);
  const provider = toJsonFields(toJsonFields(tryParseJson(answer?.[1] ?? ''))['error']);
  const seconds = /Suggested retry after (\d+(?:\.\d+)?)s/.exec(message)?.[1];
  return {
    class:
      BY_TYPE[String(error['type'])] ??
      getFailureClassOfHttpStatus(toNonNegativeInteger(provider['code'])) ??
      WORDS.find(([pattern]) => pattern.test(toNonBlankText(provider['message']) ?? message))?.[1] ??
      'agent_failed',
    reason: message,
    ...buildAgentFailureDetails(
      toNonNegativeInteger(provider['code']),
      toNonBlankText(provider['status']) ?? toNonBlankText(error['type']),
    ),
    ...(seconds === undefined ? {} : { retryAfterSeconds: Number(seconds) }),
  };
}

const BY_TYPE: Readonly<Record<string, FailureCode>> = {
  FatalTurnLimitedError: 'turn_limit',
  FatalAuthenticationError: 'provider_auth',
  FatalInputError: 'config_invalid',
};

/** Where there is no code: what the provider or the CLI's client says of a request. */
const WORDS: readonly (readonly [RegExp, FailureCode])[] = [
  // The model gateway's refusal: the CLI has asked for another model than it was given.
  [
    /^\[API Error: assay: model \S+ is not one of this attempt|^assay: model \S+ is not one of/,
    'model_invalid',
  ],
  [/prompt is too long|exceeds the maximum number of tokens/, 'context_too_long'],
  [/fetch failed sending request|^\[API Error: (?:terminated|.* in JSON)/, 'provider_transient'],
  [/^\[API Error: model: /, 'model_invalid'],
];

/** It ends with the provider's status, of which an exit code holds the last eight bits. */
function failureAtExit(exitCode: number, { failure }: AgentRunState): AgentFailure | null {
  if (failure?.class !== 'agent_failed' || exitCode < 128) return failure;
  return { ...failure, class: getFailureClassOfHttpStatus(exitCode + 256) ?? failure.class };
}

/** Its program, `-p` and the prompt come first. */
const resume: AgentAdapter['resumeCommand'] = ([program = '', ...argv], session, message) => [
  ...[program, '-p', message, '--resume', session],
  ...argv.slice(2),
];

/** A folder for each folder that it was run in, with a file for each session, called by the beginning of its id. */
const record: AgentAdapter['sessionRecord'] = {
  location: ({ home }, session) => ({ folder: `${home}/.gemini/tmp`, end: `-${session.slice(0, 8)}.jsonl` }),
  restorePath: ({ home }, session, cwd) =>
    `${home}/.gemini/tmp/${basename(cwd)}/chats/session-2026-01-01T00-00-${session.slice(0, 8)}.jsonl`,
};

// Neither signal ends it while it works.
export const geminiAdapter: AgentAdapter = {
  invoke,
  stopSignals: ['SIGINT', 'SIGTERM'],
  readEvent: read,
  observeCalls: observe,
  supportsToolHook: true,
  resumeCommand: resume,
  sessionRecord: record,
  failureAtExit,
};
