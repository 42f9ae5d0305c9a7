import { classOfStatus } from '../../../shared/contract/failure/status.ts';
import type { Effort } from '../../../shared/contract/submission/schema.ts';
import type { AgentAdapter, Invocation, Job } from './adapter.ts';
import { amount, count, type Fields, fields, list, text } from './fields.ts';
import { HOLD_S } from './hold.ts';
import { type Failure, type Reading, readStatus, STATUS_SCHEMA, said } from './reading.ts';
import { asText, type Observe } from './seen.ts';

const EFFORT: Readonly<Record<Effort, string>> = {
  low: 'low',
  normal: 'medium',
  medium: 'medium',
  high: 'high',
  max: 'max',
};

/** Reads no hooks, plugins, servers or settings of the checkout, and sends a twentieth of the prompt. */
const BARE = ['--bare'];

/** Bare, it has no hooks at all. So it is not, and reads its own settings, which are none, and these: nothing of the checkout. */
function held(url: string): string[] {
  const asks = [{ matcher: '*', hooks: [{ type: 'http', url, timeout: HOLD_S }] }];
  return [
    ...['--setting-sources', 'user', '--strict-mcp-config', '--disable-slash-commands'],
    '--settings',
    JSON.stringify({ hooks: { PreToolUse: asks, PostToolUse: asks, PostToolUseFailure: asks } }),
  ];
}

function invoke({
  assignment,
  places,
  prompt,
  models,
  instructions,
  maxCostUsd,
  asRoot,
  holdUrl,
}: Job): Invocation {
  const { adapter, model, effort } = assignment;
  const turns = adapter.kind === 'claude' ? adapter.max_turns : undefined;
  return {
    argv: [
      'claude',
      '-p',
      prompt,
      ...(model === null ? [] : ['--model', model]),
      ...['--effort', EFFORT[effort]],
      ...['--output-format', 'stream-json', '--verbose'],
      ...['--permission-mode', 'bypassPermissions'],
      ...(holdUrl === null ? BARE : held(holdUrl)),
      ...['--tools', 'Bash,Edit,Read,Write'],
      ...['--json-schema', JSON.stringify(STATUS_SCHEMA)],
      ...(turns === undefined ? [] : ['--max-turns', String(turns)]),
      ...(maxCostUsd === null ? [] : ['--max-budget-usd', String(maxCostUsd)]),
      // Bare, it reads no CLAUDE.md by itself; the option can be given once.
      ...['--append-system-prompt-file', instructions.file],
    ],
    env: {
      ...(models && {
        ANTHROPIC_BASE_URL: models.base_urls.anthropic,
        ANTHROPIC_AUTH_TOKEN: models.token,
      }),
      CLAUDE_CONFIG_DIR: `${places.home}/.claude`,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      // Waiting is the cascade's.
      CLAUDE_CODE_MAX_RETRIES: '2',
      API_TIMEOUT_MS: '600000',
      ...(asRoot ? { IS_SANDBOX: '1' } : {}),
    },
    files: {},
  };
}

function read(event: Fields, reading: Reading): void {
  reading.session = text(event['session_id']) ?? reading.session;
  if (event['type'] === 'assistant') readTurn(event, reading);
  else if (event['type'] === 'result') readResult(event, reading);
  else if (event['subtype'] === 'api_retry') readRetry(event, reading);
}

function readRetry(event: Fields, reading: Reading): void {
  reading.waiting = `the provider: ${text(event['error']) ?? 'no reason'}`;
  reading.waitingClass = classOfStatus(count(event['error_status']));
}

function readTurn(event: Fields, reading: Reading): void {
  // Not a word of the model, but of the CLI about why there is none.
  const error = text(event['error']);
  if (error !== null) {
    reading.stopReason = error;
    return;
  }
  reading.turns++;
  for (const part of list(fields(event['message'])['content']).map(fields)) {
    if (part['type'] === 'text') reading.message = text(part['text']) ?? reading.message;
    if (part['type'] !== 'tool_use') continue;
    reading.tools++;
    const file = text(fields(part['input'])['file_path']);
    if (file !== null && part['name'] !== 'Read') reading.files.add(file);
  }
}

/** One event for each part of an answer: words of the model, or a call of a tool. What came of it is in a message of the user. */
const observe: Observe = (event) => {
  const parts = list(fields(event['message'])['content']).map(fields);
  if (event['type'] === 'user')
    return parts
      .filter((part) => part['type'] === 'tool_result')
      .map((part) => ({
        kind: 'result',
        id: text(part['tool_use_id']) ?? '',
        output: asText(part['content']),
        failed: part['is_error'] === true,
      }));
  if (event['type'] !== 'assistant' || text(event['error']) !== null) return [];
  const words = parts.filter((part) => part['type'] === 'text').flatMap((part) => text(part['text']) ?? []);
  return [
    { kind: 'model', text: words.join('\n') || null },
    ...parts
      .filter((part) => part['type'] === 'tool_use')
      .map((part) => ({
        kind: 'call' as const,
        id: text(part['id']) ?? '',
        tool: text(part['name']) ?? 'unknown',
        input: asText(part['input'], fields(part['input'])['command']),
      })),
  ];
};

function readResult(event: Fields, reading: Reading): void {
  reading.ended = true;
  reading.turns = count(event['num_turns']) ?? reading.turns;
  reading.costUsd = amount(event['total_cost_usd']);
  // The top level misses the last call after a budget stop.
  for (const [model, of] of Object.entries(fields(event['modelUsage']))) {
    const used = fields(of);
    const input = count(used['inputTokens']);
    const output = count(used['outputTokens']);
    if (input === null || output === null) continue;
    reading.usage.set(model, {
      input_tokens: input,
      output_tokens: output,
      cache_read_tokens: count(used['cacheReadInputTokens']) ?? 0,
      cache_write_tokens: count(used['cacheCreationInputTokens']) ?? 0,
    });
  }
  readStatus(reading, event['structured_output']);
  if (event['is_error'] === true) reading.failure = failureOf(event, reading);
  else reading.message = text(event['result']) ?? reading.message;
  reading.stopReason = text(event['terminal_reason']) ?? text(event['stop_reason']);
}

/** `subtype` says "success" also when the provider refused; the first field that tells is the one that counts. */
function failureOf(event: Fields, { stopReason }: Reading): Failure {
  const reason = text(event['result']) ?? list(event['errors']).map(text).find(Boolean) ?? 'no reason given';
  const of = (): Failure['class'] => {
    if (event['terminal_reason'] === 'prompt_too_long') return 'context_too_long';
    if (event['stop_reason'] === 'refusal') return 'refused';
    if (event['subtype'] === 'error_max_turns') return 'turn_limit';
    if (event['subtype'] === 'error_max_budget_usd') return 'provider_spend_limit';
    const byStatus = classOfStatus(count(event['api_error_status']));
    if (byStatus !== null) return byStatus;
    // Without a status there was no answer that could be read.
    const isUnread = event['terminal_reason'] === 'api_error' && count(event['api_error_status']) === null;
    return isUnread && stopReason !== 'invalid_request' ? 'provider_transient' : 'agent_failed';
  };
  const subtype = text(event['subtype']);
  return {
    class: of(),
    reason,
    ...said(count(event['api_error_status']), subtype === 'success' ? stopReason : subtype),
  };
}

/** Its program, `-p` and the prompt come first. */
const resume: AgentAdapter['resume'] = ([program = '', ...argv], session, message) => [
  ...[program, '-p', message, '--resume', session],
  ...argv.slice(2),
];

/** A folder for each folder that it was run in, with a file for each session. */
const record: AgentAdapter['record'] = {
  lies: ({ home }, session) => ({ folder: `${home}/.claude/projects`, end: `/${session}.jsonl` }),
  goes: ({ home }, session, cwd) =>
    `${home}/.claude/projects/${cwd.replaceAll(/[^A-Za-z0-9]/g, '-')}/${session}.jsonl`,
};

export const claude: AgentAdapter = {
  invoke,
  stop: ['SIGINT', 'SIGTERM'],
  read,
  observe,
  holds: true,
  resume,
  record,
};
