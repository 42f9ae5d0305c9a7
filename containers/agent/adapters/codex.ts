import type { FailureClass } from '../../../shared/contract/failure/failure-class.ts';
import { classOfStatus } from '../../../shared/contract/failure/status.ts';
import type { Effort } from '../../../shared/contract/submission/schema.ts';
import type { AgentAdapter, Invocation, Job } from './adapter.ts';
import { count, type Fields, fields, list, text } from './fields.ts';
import { askProgram, HOLD_S } from './hold.ts';
import { type Failure, type Reading, readStatus, STATUS_SCHEMA, said } from './reading.ts';
import { asText, type Observe } from './seen.ts';

const EFFORT: Readonly<Record<Effort, string>> = {
  low: 'low',
  normal: 'medium',
  medium: 'medium',
  high: 'high',
  max: 'xhigh',
};
const TOKEN = 'ASSAY_MODEL_TOKEN';

/** A string of TOML; JSON's escapes are among TOML's. */
const toml = (value: string): string => JSON.stringify(value);

/** Its hooks are programs. Those that the user of a laptop has let run are unknown here, and these are ours; without the user's word it reads none of a checkout. */
function held({ command }: ReturnType<typeof askProgram>): string[] {
  const asks = `[{hooks=[{type="command",command=${toml(command)},timeout=${HOLD_S}}]}]`;
  return [
    '--dangerously-bypass-hook-trust',
    ...['-c', `hooks.PreToolUse=${asks}`, '-c', `hooks.PostToolUse=${asks}`],
  ];
}

function invoke({ assignment, places, prompt, models, instructions, holdUrl }: Job): Invocation {
  const { model, effort } = assignment;
  const asks = holdUrl === null ? null : askProgram(places, holdUrl);
  const schema = `${places.home}/.codex/status.schema.json`;
  const settings = [
    ...(models === null
      ? []
      : [
          'model_provider=assay',
          // An entry of its own goes straight to HTTP; OPENAI_BASE_URL is ignored.
          `model_providers.assay={name="assay",base_url=${toml(models.base_urls.openai)},env_key="${TOKEN}",wire_api="responses",request_max_retries=1,stream_max_retries=1}`,
        ]),
    `model_reasoning_effort=${EFFORT[effort]}`,
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
      ...(asks ? held(asks) : []),
      ...['--output-schema', schema],
      prompt,
    ],
    env: { CODEX_HOME: `${places.home}/.codex`, ...(models && { [TOKEN]: models.token }) },
    files: {
      ...asks?.files,
      [schema]: JSON.stringify(STATUS_SCHEMA),
      // Read before the AGENTS.md of the checkout, which it finds by itself.
      [`${places.home}/.codex/AGENTS.md`]: instructions.role,
    },
  };
}

function read(event: Fields, reading: Reading): void {
  switch (event['type']) {
    case 'thread.started':
      reading.session = text(event['thread_id']);
      break;
    case 'item.completed':
      readItem(fields(event['item']), reading);
      break;
    case 'turn.completed':
      readEnd(fields(event['usage']), reading);
      break;
    case 'turn.failed':
      reading.ended = true;
      reading.failure = failureOf(text(fields(event['error'])['message']) ?? 'no reason given');
      break;
    case 'error':
      reading.waiting = text(event['message']);
      if (reading.waiting !== null) reading.waitingClass = failureOf(reading.waiting).class;
      break;
  }
}

function readItem(item: Fields, reading: Reading): void {
  if (item['type'] === 'agent_message') {
    reading.turns++;
    reading.message = text(item['text']) ?? reading.message;
  } else if (item['type'] !== 'error' && item['type'] !== 'reasoning') reading.tools++;
  for (const change of list(item['changes'])) {
    const path = text(fields(change)['path']);
    if (path !== null) reading.files.add(path);
  }
}

/** It shows a tool when that has ended, with what came of it; the model when it has said something. */
const observe: Observe = (event) => {
  const item = fields(event['item']);
  const type = text(item['type']);
  if (event['type'] !== 'item.completed' || type === null || type === 'error' || type === 'reasoning')
    return [];
  if (type === 'agent_message') return [{ kind: 'model', text: text(item['text']) }];
  return [
    {
      kind: 'done',
      tool: type,
      input: asText(item['changes'] ?? item, item['command']),
      output: asText(item['aggregated_output'] ?? ''),
      failed: item['status'] === 'failed',
    },
  ];
};

/** The sum of the whole session; what was read from a cache is part of the input. */
function readEnd(used: Fields, reading: Reading): void {
  reading.ended = true;
  const input = count(used['input_tokens']);
  const output = count(used['output_tokens']);
  const cached = count(used['cached_input_tokens']) ?? 0;
  if (input !== null && output !== null)
    reading.usage.set('', {
      input_tokens: Math.max(0, input - cached),
      output_tokens: output,
      cache_read_tokens: cached,
      cache_write_tokens: count(used['cache_write_input_tokens']) ?? 0,
    });
  readStatus(reading, reading.message);
  if (reading.message === null)
    reading.failure = { class: 'refused', reason: 'the model ended its turn without a word' };
}

/** The CLI gives a message and no more. These are its own words, not the model's. The first that matches counts. */
const MESSAGES: readonly (readonly [RegExp, FailureClass])[] = [
  [/^Quota exceeded\./, 'provider_spend_limit'],
  [/^Codex ran out of room in the model's context window/, 'context_too_long'],
  [/^stream disconnected|waiting for network|error sending request/, 'provider_transient'],
  [/currently experiencing high demand/, 'provider_transient'],
  [/^model: |^The requested model|model `[^`]*` does not exist/, 'model_invalid'],
];

function failureOf(reason: string): Failure {
  const status = /\bunexpected status (\d{3})\b|\blast status: (\d{3})\b/.exec(reason);
  const known = status ? Number(status[1] ?? status[2]) : null;
  const byStatus = classOfStatus(known);
  const byWords = MESSAGES.find(([pattern]) => pattern.test(reason))?.[1];
  return { class: byStatus ?? byWords ?? 'agent_failed', reason, ...said(known, null) };
}

/** Its program and `exec` come first, the prompt last. */
const resume: AgentAdapter['resume'] = ([program = '', ...argv], session, message) => [
  ...[program, 'exec', 'resume'],
  ...argv.slice(1, -1),
  ...[session, message],
];

/** A folder for each day, with a file for each session; the day is not looked at. */
const record: AgentAdapter['record'] = {
  lies: ({ home }, session) => ({ folder: `${home}/.codex/sessions`, end: `-${session}.jsonl` }),
  goes: ({ home }, session) =>
    `${home}/.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${session}.jsonl`,
};

export const codex: AgentAdapter = {
  invoke,
  stop: ['SIGINT', 'SIGTERM'],
  read,
  observe,
  holds: true,
  resume,
  record,
};
