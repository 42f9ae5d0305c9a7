import { CODEX_MANIFEST } from '../../../shared/contract/agents/codex-manifest.ts';
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
} from './json-fields.ts';
import {
  type AgentFailure,
  type AgentRunState,
  applyFinalStatus,
  buildAgentFailureDetails,
  FINAL_STATUS_SCHEMA,
} from './run-state.ts';
import { buildToolHookCommand, TOOL_HOOK_TIMEOUT_S } from './tool-hook.ts';

const TOKEN = 'ASSAY_MODEL_TOKEN';

/** A string of TOML; JSON's escapes are among TOML's. */
const toml = (value: string): string => JSON.stringify(value);

/** Its hooks are programs. Those that the user of a laptop has let run are unknown here, and these are ours; without the user's word it reads none of a checkout. */
function toolHookArguments({ command }: ReturnType<typeof buildToolHookCommand>): string[] {
  const asks = `[{hooks=[{type="command",command=${toml(command)},timeout=${TOOL_HOOK_TIMEOUT_S}}]}]`;
  return [
    '--dangerously-bypass-hook-trust',
    ...['-c', `hooks.PreToolUse=${asks}`, '-c', `hooks.PostToolUse=${asks}`],
  ];
}

function invoke({
  assignment,
  layout,
  promptArgument,
  modelAccess,
  instructions,
  toolHookUrl,
}: AgentInvocationInput): AgentInvocation {
  const { model, effort } = assignment;
  const asks = toolHookUrl === null ? null : buildToolHookCommand(layout, toolHookUrl);
  const schema = `${layout.home}/.codex/status.schema.json`;
  const settings = [
    ...(modelAccess === null
      ? []
      : [
          'model_provider=assay',
          // An entry of its own goes straight to HTTP; OPENAI_BASE_URL is ignored.
          `model_providers.assay={name="assay",base_url=${toml(modelAccess.base_urls.openai)},env_key="${TOKEN}",wire_api="responses",request_max_retries=1,stream_max_retries=1}`,
        ]),
    `model_reasoning_effort=${CODEX_MANIFEST.effortLevels[effort]}`,
    'check_for_update_on_startup=false',
    'analytics.enabled=false',
  ];
  return {
    argv: [
      ...['codex', 'exec', '--json', '--skip-git-repo-check'],
      // What the user of a laptop has set is not the deployment's.
      ...['--ignore-user-config', '--ignore-rules', '--disable', 'plugins', '--disable', 'apps'],
      // The box is the sandbox.
      '--dangerously-bypass-approvals-and-sandbox',
      ...(model === null ? [] : ['-m', model]),
      ...settings.flatMap((setting) => ['-c', setting]),
      ...(asks ? toolHookArguments(asks) : []),
      ...['--output-schema', schema],
      promptArgument,
    ],
    env: { CODEX_HOME: `${layout.home}/.codex`, ...(modelAccess && { [TOKEN]: modelAccess.token }) },
    files: {
      ...asks?.files,
      [schema]: JSON.stringify(FINAL_STATUS_SCHEMA),
      // Read before the AGENTS.md of the checkout, which it finds by itself.
      [`${layout.home}/.codex/AGENTS.md`]: instructions.role,
    },
  };
}

function read(event: JsonFields, reading: AgentRunState): void {
  switch (event['type']) {
    case 'thread.started':
      reading.sessionId = toNonBlankText(event['thread_id']);
      break;
    case 'item.completed':
      readItem(toJsonFields(event['item']), reading);
      break;
    case 'turn.completed':
      readEnd(toJsonFields(event['usage']), reading);
      break;
    case 'turn.failed':
      reading.hasEnded = true;
      reading.failure = failureOf(
        toNonBlankText(toJsonFields(event['error'])['message']) ?? 'no reason given',
      );
      break;
    case 'error':
      reading.waitReason = toNonBlankText(event['message']);
      if (reading.waitReason !== null) reading.waitFailureClass = failureOf(reading.waitReason).class;
      break;
  }
}

function readItem(item: JsonFields, reading: AgentRunState): void {
  if (item['type'] === 'agent_message') {
    reading.turns++;
    reading.lastMessage = toNonBlankText(item['text']) ?? reading.lastMessage;
  } else if (item['type'] !== 'error' && item['type'] !== 'reasoning') reading.toolCalls++;
  for (const change of toJsonArray(item['changes'])) {
    const path = toNonBlankText(toJsonFields(change)['path']);
    if (path !== null) reading.changedFiles.add(path);
  }
}

/** It shows a tool when that has ended, with what came of it; the model when it has said something. */
const observe: AgentCallEventReader = (event) => {
  const item = toJsonFields(event['item']);
  const type = toNonBlankText(item['type']);
  if (event['type'] !== 'item.completed' || type === null || type === 'error' || type === 'reasoning')
    return [];
  if (type === 'agent_message') return [{ kind: 'model', text: toNonBlankText(item['text']) }];
  return [
    {
      kind: 'done',
      tool: type,
      input: formatToolInput(item['changes'] ?? item, item['command']),
      output: formatToolInput(item['aggregated_output'] ?? ''),
      isError: item['status'] === 'failed',
    },
  ];
};

/** The sum of the whole session; what was read from a cache is part of the input. */
function readEnd(used: JsonFields, reading: AgentRunState): void {
  reading.hasEnded = true;
  const input = toNonNegativeInteger(used['input_tokens']);
  const output = toNonNegativeInteger(used['output_tokens']);
  const cached = toNonNegativeInteger(used['cached_input_tokens']) ?? 0;
  if (input !== null && output !== null)
    reading.usageByModel.set('', {
      input_tokens: Math.max(0, input - cached),
      output_tokens: output,
      cache_read_tokens: cached,
      cache_write_tokens: toNonNegativeInteger(used['cache_write_input_tokens']) ?? 0,
    });
  applyFinalStatus(reading, reading.lastMessage);
  if (reading.lastMessage === null)
    reading.failure = { class: 'refused', reason: 'the model ended its turn without a word' };
}

/** The CLI gives a message and no more. These are its own words, not the model's. The first that matches counts. */
const MESSAGES: readonly (readonly [RegExp, FailureCode])[] = [
  [/^Quota exceeded\./, 'provider_spend_limit'],
  [/^Codex ran out of room in the model's context window/, 'context_too_long'],
  [/^stream disconnected|waiting for network|error sending request/, 'provider_transient'],
  [/currently experiencing high demand/, 'provider_transient'],
  [/^model: |^The requested model|model `[^`]*` does not exist/, 'model_invalid'],
];

function failureOf(reason: string): AgentFailure {
  const status = /\bunexpected status (\d{3})\b|\blast status: (\d{3})\b/.exec(reason);
  const known = status ? Number(status[1] ?? status[2]) : null;
  const byStatus = getFailureClassOfHttpStatus(known);
  const byWords = MESSAGES.find(([pattern]) => pattern.test(reason))?.[1];
  return { class: byStatus ?? byWords ?? 'agent_failed', reason, ...buildAgentFailureDetails(known, null) };
}

/** Its program and `exec` come first, the prompt last. */
const resume: AgentAdapter['resumeCommand'] = ([program = '', ...argv], session, message) => [
  ...[program, 'exec', 'resume'],
  ...argv.slice(1, -1),
  ...[session, message],
];

/** A folder for each day, with a file for each session; the day is not looked at. */
const record: AgentAdapter['sessionRecord'] = {
  location: ({ home }, session) => ({ folder: `${home}/.codex/sessions`, end: `-${session}.jsonl` }),
  restorePath: ({ home }, session) =>
    `${home}/.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${session}.jsonl`,
};

export const codexAdapter: AgentAdapter = {
  invoke,
  stopSignals: ['SIGINT', 'SIGTERM'],
  readEvent: read,
  observeCalls: observe,
  supportsToolHook: true,
  resumeCommand: resume,
  reportsSessionTotals: true,
  sessionRecord: record,
};
