import { basename } from 'node:path';
import type { FailureClass } from '../../../shared/contract/failure/failure-class.ts';
import { classOfStatus } from '../../../shared/contract/failure/status.ts';
import type { AgentAdapter, Invocation, Job } from './adapter.ts';
import { count, type Fields, fields, json, text } from './fields.ts';
import { askProgram, HOLD_S } from './hold.ts';
import { type Failure, type Reading, said } from './reading.ts';
import { asText, type Observe } from './seen.ts';

/** Its hooks are programs, and know no time but milliseconds. */
function held({ command }: ReturnType<typeof askProgram>) {
  const asks = [{ hooks: [{ name: 'assay', type: 'command', command, timeout: HOLD_S * 1_000 }] }];
  return { hooks: { BeforeTool: asks, AfterTool: asks } };
}

function invoke({ assignment, places, prompt, models, instructions, holdUrl }: Job): Invocation {
  const { adapter, model } = assignment;
  const asks = holdUrl === null ? null : askProgram(places, holdUrl);
  const turns = adapter.kind === 'gemini' ? adapter.max_turns : undefined;
  return {
    argv: [
      ...['gemini', '-p', prompt],
      ...(model === null ? [] : ['-m', model]),
      ...['--output-format', 'stream-json', '--approval-mode', 'yolo', '--skip-trust'],
    ],
    env: {
      ...(models && { GOOGLE_GEMINI_BASE_URL: models.base_urls.gemini, GEMINI_API_KEY: models.token }),
      GEMINI_CLI_HOME: places.home,
      GEMINI_CLI_NO_RELAUNCH: 'true',
    },
    files: {
      ...asks?.files,
      // It finds a GEMINI.md of the checkout by itself, and no other file.
      [`${places.home}/.gemini/GEMINI.md`]: [instructions.role, instructions.repository?.text ?? ''].join(
        '\n',
      ),
      [`${places.home}/.gemini/settings.json`]: JSON.stringify({
        general: { enableAutoUpdate: false, maxAttempts: 2 },
        ...(turns === undefined ? {} : { model: { maxSessionTurns: turns } }),
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        ...(asks && held(asks)),
        security: { auth: { selectedType: 'gemini-api-key' } },
      }),
    },
  };
}

const WRITING_TOOLS: readonly unknown[] = ['write_file', 'replace', 'edit'];

function read(event: Fields, reading: Reading): void {
  switch (event['type']) {
    case 'init':
      reading.session = text(event['session_id']);
      break;
    case 'message':
      if (event['role'] === 'assistant') readWords(event, reading);
      break;
    case 'tool_use': {
      reading.tools++;
      reading.message = null;
      const file = text(fields(event['parameters'])['file_path']);
      if (file !== null && WRITING_TOOLS.includes(event['tool_name'])) reading.files.add(file);
      break;
    }
    case 'error':
      reading.stopReason = text(event['message']);
      break;
    case 'result':
      readResult(event, reading);
      break;
  }
}

/** Words of the model come in pieces, of which each is one. */
const observe: Observe = (event) => {
  const id = text(event['tool_id']) ?? '';
  switch (event['type']) {
    case 'message':
      return event['role'] === 'assistant' ? [{ kind: 'model', text: text(event['content']) }] : [];
    case 'tool_use': {
      const given = event['parameters'];
      const tool = text(event['tool_name']) ?? 'unknown';
      return [{ kind: 'call', id, tool, input: asText(given, fields(given)['command']) }];
    }
    case 'tool_result':
      return [
        { kind: 'result', id, output: asText(event['output'] ?? ''), failed: event['status'] !== 'success' },
      ];
    default:
      return [];
  }
};

function readWords(event: Fields, reading: Reading): void {
  const said = text(event['content']) ?? '';
  if (reading.message === null) reading.turns++;
  reading.message = event['delta'] === true ? `${reading.message ?? ''}${said}` : said;
}

function readResult(event: Fields, reading: Reading): void {
  reading.ended = true;
  for (const [model, of] of Object.entries(fields(fields(event['stats'])['models']))) {
    const used = fields(of);
    const total = count(used['total_tokens']);
    const all = count(used['input_tokens']);
    const input = count(used['input']);
    if (total === null || all === null || input === null || total < all) continue;
    reading.usage.set(model, {
      input_tokens: input,
      // Thoughts are in the total only.
      output_tokens: total - all,
      cache_read_tokens: count(used['cached']) ?? 0,
      cache_write_tokens: 0,
    });
  }
  if (event['status'] !== 'success') reading.failure = failureOf(event, reading);
}

/** By the type of the CLI's own error, then by the code in the provider's answer, which is in the message as it came. */
function failureOf(event: Fields, { stopReason }: Reading): Failure {
  const error = fields(event['error']);
  const message = text(error['message']);
  if (message === null)
    return {
      class: /^Model stream ended/.test(stopReason ?? '') ? 'provider_transient' : 'refused',
      reason: stopReason ?? 'the model gave no answer',
    };
  const answer = /^\[API Error: (\{.*\})\]/s.exec(message);
  const provider = fields(fields(json(answer?.[1] ?? ''))['error']);
  const seconds = /Suggested retry after (\d+(?:\.\d+)?)s/.exec(message)?.[1];
  return {
    class:
      BY_TYPE[String(error['type'])] ??
      classOfStatus(count(provider['code'])) ??
      WORDS.find(([pattern]) => pattern.test(text(provider['message']) ?? message))?.[1] ??
      'agent_failed',
    reason: message,
    ...said(count(provider['code']), text(provider['status']) ?? text(error['type'])),
    ...(seconds === undefined ? {} : { retryAfterSeconds: Number(seconds) }),
  };
}

const BY_TYPE: Readonly<Record<string, FailureClass>> = {
  FatalTurnLimitedError: 'turn_limit',
  FatalAuthenticationError: 'provider_auth',
  FatalInputError: 'config_invalid',
};

/** Where there is no code: what the provider or the CLI's client says of a request. */
const WORDS: readonly (readonly [RegExp, FailureClass])[] = [
  [/prompt is too long|exceeds the maximum number of tokens/, 'context_too_long'],
  [/fetch failed sending request|^\[API Error: (?:terminated|.* in JSON)/, 'provider_transient'],
  [/^\[API Error: model: /, 'model_invalid'],
];

/** It ends with the provider's status, of which an exit code holds the last eight bits. */
function failureAtExit(exitCode: number, { failure }: Reading): Failure | null {
  if (failure?.class !== 'agent_failed' || exitCode < 128) return failure;
  return { ...failure, class: classOfStatus(exitCode + 256) ?? failure.class };
}

/** Its program, `-p` and the prompt come first. */
const resume: AgentAdapter['resume'] = ([program = '', ...argv], session, message) => [
  ...[program, '-p', message, '--resume', session],
  ...argv.slice(2),
];

/** A folder for each folder that it was run in, with a file for each session, called by the beginning of its id. */
const record: AgentAdapter['record'] = {
  lies: ({ home }, session) => ({ folder: `${home}/.gemini/tmp`, end: `-${session.slice(0, 8)}.jsonl` }),
  goes: ({ home }, session, cwd) =>
    `${home}/.gemini/tmp/${basename(cwd)}/chats/session-2026-01-01T00-00-${session.slice(0, 8)}.jsonl`,
};

// Neither signal ends it while it works.
export const gemini: AgentAdapter = {
  invoke,
  stop: ['SIGINT', 'SIGTERM'],
  read,
  observe,
  holds: true,
  resume,
  record,
  failureAtExit,
};
