import { hasTurnLimit } from '../../../shared/contract/agents/adapter.ts';
import { CLAUDE_MANIFEST } from '../../../shared/contract/agents/claude-manifest.ts';
import { getFailureClassOfHttpStatus } from '../../../shared/contract/failure/http-status.ts';
import type { AgentAdapter, AgentInvocation, AgentInvocationInput } from './adapter.ts';
import { type AgentCallEventReader, formatToolInput } from './agent-call-event.ts';
import {
  type JsonFields,
  toJsonArray,
  toJsonFields,
  toNonBlankText,
  toNonNegativeInteger,
  toNonNegativeNumber,
} from './json-fields.ts';
import {
  type AgentFailure,
  type AgentRunState,
  applyFinalStatus,
  buildAgentFailureDetails,
  FINAL_STATUS_SCHEMA,
} from './run-state.ts';
import { TOOL_HOOK_TIMEOUT_S } from './tool-hook.ts';

/** Reads no hooks, plugins, servers or settings of the checkout, and sends a twentieth of the prompt. */
const BARE = ['--bare'];

/**
 * Arguments of a run whose tool calls are checked. `--bare` would turn hooks off. These settings are the only ones that are read: none of
 * the checkout, and none of the home, where an earlier run could have written `disableAllHooks`.
 */
function toolHookArguments(url: string): string[] {
  const asks = [{ matcher: '*', hooks: [{ type: 'http', url, timeout: TOOL_HOOK_TIMEOUT_S }] }];
  return [
    ...['--setting-sources', '', '--strict-mcp-config', '--disable-slash-commands'],
    '--settings',
    JSON.stringify({ hooks: { PreToolUse: asks, PostToolUse: asks, PostToolUseFailure: asks } }),
  ];
}

function invoke({
  assignment,
  layout,
  promptArgument,
  modelAccess,
  instructions,
  maxCostUsd,
  runsAsRoot,
  toolHookUrl,
}: AgentInvocationInput): AgentInvocation {
  const { adapter, model, effort } = assignment;
  const turns = hasTurnLimit(adapter) ? adapter.max_turns : undefined;
  return {
    argv: [
      'claude',
      '-p',
      promptArgument,
      ...(model === null ? [] : ['--model', model]),
      ...['--effort', CLAUDE_MANIFEST.effortLevels[effort]],
      ...['--output-format', 'stream-json', '--verbose'],
      ...['--permission-mode', 'bypassPermissions'],
      ...(toolHookUrl === null ? BARE : toolHookArguments(toolHookUrl)),
      ...['--tools', 'Bash,Edit,Read,Write'],
      ...['--json-schema', JSON.stringify(FINAL_STATUS_SCHEMA)],
      ...(turns === undefined ? [] : ['--max-turns', String(turns)]),
      ...(maxCostUsd === null ? [] : ['--max-budget-usd', String(maxCostUsd)]),
      // Bare, it reads no CLAUDE.md by itself; the option can be given once.
      ...['--append-system-prompt-file', instructions.file],
    ],
    env: {
      ...(modelAccess && {
        ANTHROPIC_BASE_URL: modelAccess.base_urls.anthropic,
        ANTHROPIC_AUTH_TOKEN: modelAccess.token,
      }),
      // Where one model may be called, the CLI calls it for small things, too; the gateway refuses any other.
      ...(modelAccess?.models.length === 1 && { ANTHROPIC_DEFAULT_HAIKU_MODEL: modelAccess.models[0] ?? '' }),
      CLAUDE_CONFIG_DIR: `${layout.home}/.claude`,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // The CLI cannot know what is behind the gateway, and Bedrock refuses most beta features.
      CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      // Waiting is the cascade's.
      CLAUDE_CODE_MAX_RETRIES: '2',
      API_TIMEOUT_MS: '600000',
      ...(runsAsRoot ? { IS_SANDBOX: '1' } : {}),
    },
    files: {},
  };
}

function read(event: JsonFields, reading: AgentRunState): void {
  reading.sessionId = toNonBlankText(event['session_id']) ?? reading.sessionId;
  if (event['type'] === 'assistant') readTurn(event, reading);
  else if (event['type'] === 'result') readResult(event, reading);
  else if (event['type'] === 'rate_limit_event') readLimit(event, reading);
  else if (event['subtype'] === 'api_retry') readRetry(event, reading);
}

/** A limit of a subscription, for five hours or a week. Most events only say how much of it is used. */
function readLimit(event: JsonFields, reading: AgentRunState): void {
  const limit = toJsonFields(event['rate_limit_info']);
  const resetsAt = toNonNegativeInteger(limit['resetsAt']);
  reading.limitResetAtMs = limit['status'] === 'rejected' && resetsAt !== null ? resetsAt * 1_000 : null;
}

function readRetry(event: JsonFields, reading: AgentRunState): void {
  reading.waitReason = `the provider: ${toNonBlankText(event['error']) ?? 'no reason'}`;
  reading.waitFailureClass = getFailureClassOfHttpStatus(toNonNegativeInteger(event['error_status']));
}

function readTurn(event: JsonFields, reading: AgentRunState): void {
  // Not a word of the model, but of the CLI about why there is none.
  const error = toNonBlankText(event['error']);
  if (error !== null) {
    reading.stopReason = error;
    return;
  }
  reading.turns++;
  for (const part of toJsonArray(toJsonFields(event['message'])['content']).map(toJsonFields)) {
    if (part['type'] === 'text') reading.lastMessage = toNonBlankText(part['text']) ?? reading.lastMessage;
    if (part['type'] !== 'tool_use') continue;
    reading.toolCalls++;
    const file = toNonBlankText(toJsonFields(part['input'])['file_path']);
    if (file !== null && part['name'] !== 'Read') reading.changedFiles.add(file);
  }
}

/** One event for each part of an answer: words of the model, or a call of a tool. What came of it is in a message of the user. */
export const observeMessageParts: AgentCallEventReader = (event) => {
  const parts = toJsonArray(toJsonFields(event['message'])['content']).map(toJsonFields);
  if (event['type'] === 'user')
    return parts
      .filter((part) => part['type'] === 'tool_result')
      .map((part) => ({
        kind: 'result',
        id: toNonBlankText(part['tool_use_id']) ?? '',
        output: formatToolInput(part['content']),
        isError: part['is_error'] === true,
      }));
  if (event['type'] !== 'assistant' || toNonBlankText(event['error']) !== null) return [];
  const words = parts
    .filter((part) => part['type'] === 'text')
    .flatMap((part) => toNonBlankText(part['text']) ?? []);
  return [
    { kind: 'model', text: words.join('\n') || null },
    ...parts
      .filter((part) => part['type'] === 'tool_use')
      .map((part) => ({
        kind: 'call' as const,
        id: toNonBlankText(part['id']) ?? '',
        tool: toNonBlankText(part['name']) ?? 'unknown',
        input: formatToolInput(part['input'], toJsonFields(part['input'])['command']),
      })),
  ];
};

function readResult(event: JsonFields, reading: AgentRunState): void {
  reading.hasEnded = true;
  reading.turns = toNonNegativeInteger(event['num_turns']) ?? reading.turns;
  reading.costUsd = toNonNegativeNumber(event['total_cost_usd']);
  // The top level misses the last call after a budget stop.
  for (const [model, of] of Object.entries(toJsonFields(event['modelUsage']))) {
    const used = toJsonFields(of);
    const input = toNonNegativeInteger(used['inputTokens']);
    const output = toNonNegativeInteger(used['outputTokens']);
    if (input === null || output === null) continue;
    reading.usageByModel.set(model, {
      input_tokens: input,
      output_tokens: output,
      cache_read_tokens: toNonNegativeInteger(used['cacheReadInputTokens']) ?? 0,
      cache_write_tokens: toNonNegativeInteger(used['cacheCreationInputTokens']) ?? 0,
    });
  }
  applyFinalStatus(reading, event['structured_output']);
  if (event['is_error'] === true) reading.failure = failureOf(event, reading);
  else reading.lastMessage = toNonBlankText(event['result']) ?? reading.lastMessage;
  reading.stopReason = toNonBlankText(event['terminal_reason']) ?? toNonBlankText(event['stop_reason']);
}

/** `subtype` says "success" also when the provider refused; the first field that tells is the one that counts. */
function failureOf(event: JsonFields, { stopReason }: AgentRunState): AgentFailure {
  const reason =
    toNonBlankText(event['result']) ??
    toJsonArray(event['errors']).map(toNonBlankText).find(Boolean) ??
    'no reason given';
  const of = (): AgentFailure['class'] => {
    if (event['terminal_reason'] === 'prompt_too_long') return 'context_too_long';
    if (event['stop_reason'] === 'refusal') return 'refused';
    if (event['subtype'] === 'error_max_turns') return 'turn_limit';
    if (event['subtype'] === 'error_max_budget_usd') return 'provider_spend_limit';
    const byStatus = getFailureClassOfHttpStatus(toNonNegativeInteger(event['api_error_status']));
    if (byStatus !== null) return byStatus;
    // Without a status there was no answer that could be read.
    const isUnread =
      event['terminal_reason'] === 'api_error' && toNonNegativeInteger(event['api_error_status']) === null;
    return isUnread && stopReason !== 'invalid_request' ? 'provider_transient' : 'agent_failed';
  };
  const subtype = toNonBlankText(event['subtype']);
  return {
    class: of(),
    reason,
    ...buildAgentFailureDetails(
      toNonNegativeInteger(event['api_error_status']),
      subtype === 'success' ? stopReason : subtype,
    ),
  };
}

/** Its program, `-p` and the prompt come first. */
const resume: AgentAdapter['resumeCommand'] = ([program = '', ...argv], session, message) => [
  ...[program, '-p', message, '--resume', session],
  ...argv.slice(2),
];

/** A folder for each folder that it was run in, with a file for each session. */
const record: AgentAdapter['sessionRecord'] = {
  location: ({ home }, session) => ({ folder: `${home}/.claude/projects`, end: `/${session}.jsonl` }),
  restorePath: ({ home }, session, cwd) =>
    `${home}/.claude/projects/${cwd.replaceAll(/[^A-Za-z0-9]/g, '-')}/${session}.jsonl`,
};

export const claudeAdapter: AgentAdapter = {
  invoke,
  stopSignals: ['SIGINT', 'SIGTERM'],
  readEvent: read,
  observeCalls: observeMessageParts,
  supportsToolHook: true,
  resumeCommand: resume,
  // Since 2.1.277.
  reportsSessionTotals: true,
  sessionRecord: record,
};
