import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { JsonEventStream } from '../../containers/agent/adapters/json-event-stream.ts';
import { AGENT_ADAPTERS } from '../../containers/agent/adapters/registry.ts';
import {
  type AgentRunState,
  createAgentRunState,
  sumTokenUsage,
} from '../../containers/agent/adapters/run-state.ts';
import { describeAgentProgress } from '../../containers/agent/progress.ts';
import { readRecordedRuns } from '../../lab/agent-clis/recorded-runs.ts';
import type { AgentCliKind } from '../../shared/contract/agents/adapter-manifests.ts';
import type { FailureCode } from '../../shared/contract/failure/failure-class.ts';

/** What the pinned version of a CLI printed in one case (test/fixtures/agent-clis/README.md). */
const recorded = (kind: AgentCliKind, name: string): Buffer =>
  readFileSync(`test/fixtures/agent-clis/${kind}/${name}.jsonl`);

function reads(kind: AgentCliKind, output: Buffer, exitCode = 0): AgentRunState {
  const reading = createAgentRunState();
  const adapter = AGENT_ADAPTERS[kind];
  const lines = new JsonEventStream((event) => {
    reading.waitReason = null;
    reading.waitFailureClass = null;
    adapter.readEvent?.(event, reading);
  });
  lines.push(output);
  lines.end();
  if (adapter.failureAtExit) reading.failure = adapter.failureAtExit(exitCode, reading);
  return reading;
}
const classOf = (reading: AgentRunState): FailureCode | null => reading.failure?.class ?? null;

const USED = { input_tokens: 2_700, output_tokens: 123, cache_read_tokens: 600, cache_write_tokens: 0 };

describe('a run that went well is read whole', () => {
  test.each<[AgentCliKind, string, Record<string, unknown>]>([
    ['claude', 'success', { ...USED, input_tokens: 3_300, cache_write_tokens: 900 }],
    ['claude', 'json-output', { ...USED, input_tokens: 3_300, cache_write_tokens: 900 }],
    ['claude', '429-twice-then-ok', { ...USED, input_tokens: 3_300, cache_write_tokens: 900 }],
    ['codex', 'success', USED],
    ['codex', 'success-gpt6', USED],
    ['codex', '429-twice-then-ok', USED],
    ['gemini', 'success', { ...USED, output_tokens: 144 }],
    ['opencode', 'success', { ...USED, output_tokens: 123 }],
  ])('%s, %s', (kind, name, usage) => {
    const reading = reads(kind, recorded(kind, name));
    expect(reading).toMatchObject({
      hasEnded: true,
      failure: null,
      waitReason: null,
      toolCalls: 2,
      lastMessage: 'Done: wrote hello.txt and ran git status.',
      sessionId: expect.stringMatching(/^\S{20,}$/),
    });
    // What a command of the agent writes is in no event.
    const written = kind === 'codex' && name !== 'success' ? [] : ['hello.txt'];
    expect([...reading.changedFiles].map((file) => file.replace(/^.*\//, ''))).toEqual(written);
    expect(sumTokenUsage(reading)).toEqual(usage);
  });

  test.each<[AgentCliKind, Record<string, unknown> | null]>([
    ['qwen', { ...USED, input_tokens: 3_300 }],
    // The CLI reports no tokens where the provider is not GitHub.
    ['copilot', null],
  ])('%s, as recorded through the gateway', (kind, usage) => {
    const reading = reads(kind, recorded(kind, 'success'));
    expect(reading).toMatchObject({
      hasEnded: true,
      failure: null,
      toolCalls: 2,
      lastMessage: 'Done: wrote hello.txt and listed the folder.',
      sessionId: expect.stringMatching(/^\S{20,}$/),
    });
    expect(sumTokenUsage(reading)).toEqual(usage);
  });

  test('a Qwen Code run that has used up its turns prints no result and exits with 53', () => {
    expect(classOf(reads('qwen', Buffer.from(''), 53))).toBe('turn_limit');
    expect(classOf(reads('qwen', Buffer.from(''), 1))).toBeNull();
  });

  test('with the cost that a CLI gives, and none where it gives none', () => {
    expect(reads('claude', recorded('claude', 'success')).costUsd).toBeCloseTo(0.0153, 6);
    expect(reads('opencode', recorded('opencode', 'success')).costUsd).toBeCloseTo(0.003375, 6);
    expect(reads('codex', recorded('codex', 'success')).costUsd).toBeNull();
  });

  test.each<AgentCliKind>(['claude', 'codex'])('with status and summary as %s was asked for them', (kind) => {
    expect(reads(kind, recorded(kind, 'schema'))).toMatchObject({ status: 'done', summary: 'stub' });
  });
});

describe('why a run failed is told by its events', () => {
  const failed = readRecordedRuns().filter((each) => each.class !== null);
  test.each(failed.filter((each) => each.exit_code !== null))(
    'the real $kind, $name (exit $exit_code): $class',
    ({ kind, name, exit_code, class: expected }) => {
      const reading = reads(kind, recorded(kind, name), exit_code ?? 0);
      // Qwen Code ends without its last event when its turns are used up: its exit code tells.
      expect(reading.hasEnded).toBe(!(kind === 'qwen' && name === 'too-many-turns'));
      expect(reading.failure?.reason).not.toBe('');
      expect(classOf(reading)).toBe(expected);
    },
  );

  test.each(failed.filter((each) => each.exit_code === null))(
    'the real $kind, $name (waits for ever): $class',
    ({ kind, name, class: expected }) => {
      const reading = reads(kind, recorded(kind, name));
      expect(reading).toMatchObject({ hasEnded: false, failure: null, waitFailureClass: expected });
      expect(describeAgentProgress(reading)).toContain(`waits: ${reading.waitReason}`);
    },
  );

  test.each<[AgentCliKind, string, number, FailureCode]>([
    ['claude', 'proxy-budget', 1, 'provider_spend_limit'],
    ['claude', 'max-budget', 1, 'provider_spend_limit'],
    ['claude', 'hang-api-timeout', 1, 'provider_transient'],
    ['claude', 'kill-int', 0, 'agent_failed'],
    ['codex', 'proxy-budget', 1, 'provider_spend_limit'],
    ['opencode', '401', 1, 'provider_auth'],
    ['opencode', '529-default', 1, 'provider_overloaded'],
    ['opencode', 'quota', 1, 'provider_spend_limit'],
    ['opencode', 'context', 1, 'context_too_long'],
  ])('%s, %s (exit %i): %s', (kind, name, exitCode, expected) => {
    const reading = reads(kind, recorded(kind, name), exitCode);
    expect(reading.hasEnded).toBe(true);
    expect(classOf(reading)).toBe(expected);
  });

  test('with the time that the provider asked for', () => {
    expect(reads('gemini', recorded('gemini', 'rate-limited'), 173).failure?.retryAfterSeconds).toBe(1);
  });

  test('with the usage that Claude prints on the way out', () => {
    expect(sumTokenUsage(reads('claude', recorded('claude', 'kill-int')))).toMatchObject({
      output_tokens: 123,
    });
  });

  test.each<[AgentCliKind, string]>([
    ['claude', 'kill-term'],
    ['codex', 'kill-term'],
    ['codex', 'kill-int'],
    ['gemini', 'kill-int'],
  ])('and a run that broke off has no last event: %s, %s', (kind, name) => {
    expect(reads(kind, recorded(kind, name))).toMatchObject({ hasEnded: false, failure: null });
  });
});

describe('a stream of events', () => {
  const collect = (maxBytes?: number) => {
    const events: unknown[] = [];
    return { events, lines: new JsonEventStream((event) => events.push(event), maxBytes) };
  };

  test('is the same wherever its chunks end', () => {
    const whole = recorded('claude', 'success');
    const expected = JSON.stringify([...reads('claude', whole).usageByModel]);
    for (const size of [1, 7, 4_096]) {
      const reading = createAgentRunState();
      const lines = new JsonEventStream((event) => AGENT_ADAPTERS.claude.readEvent?.(event, reading));
      for (let at = 0; at < whole.length; at += size) lines.push(whole.subarray(at, at + size));
      lines.end();
      expect(JSON.stringify([...reading.usageByModel])).toBe(expected);
    }
  });

  test('holds no line that is longer than it may be, and goes on behind it', () => {
    const { events, lines } = collect(100);
    const mebibyte = Buffer.alloc(1_048_576, 'x');
    for (let i = 0; i < 1_024; i++) lines.push(mebibyte);
    lines.push(Buffer.from('\n{"type":"after"}\n'));
    expect(events).toEqual([{ type: 'after' }]);
    expect(lines.skippedLines).toBe(1);
  });

  test('passes over what is no event, and reads a list of events as if they came one by one', () => {
    const { events, lines } = collect();
    lines.push(Buffer.from('hello\n\n42\nnull\n[{"a":1},[{"b":2}],3]\n{"c":'));
    lines.end();
    expect(events).toEqual([{ a: 1 }, { b: 2 }]);
    expect(lines.skippedLines).toBe(5);
  });

  test.each<AgentCliKind>(['claude', 'codex', 'gemini', 'opencode'])(
    'of %s survives events that it does not know, and fields of other types',
    (kind) => {
      const types = [
        ...['assistant', 'result', 'system', 'thread.started', 'item.completed', 'turn.completed'],
        ...['turn.failed', 'error', 'init', 'message', 'tool_use', 'text', 'step_finish', 'new', 3, null],
      ];
      const odd = [null, 3, 'x', [], { a: 1 }];
      const names = [
        'message',
        'item',
        'usage',
        'part',
        'error',
        'stats',
        'modelUsage',
        'parameters',
        'role',
      ];
      const all = types.flatMap((type) =>
        odd.map((value) => ({ type, ...Object.fromEntries(names.map((name) => [name, value])) })),
      );
      const text = all.map((each) => JSON.stringify(each)).join('\n');
      const reading = reads(kind, Buffer.from(text));
      expect(sumTokenUsage(reading)).toBeNull();
      expect(reading.costUsd).toBeNull();
    },
  );

  test.each<[AgentCliKind, string]>([
    [
      'claude',
      '{"type":"result","modelUsage":{"m":{"inputTokens":-1,"outputTokens":1}},"total_cost_usd":-1}',
    ],
    ['codex', '{"type":"turn.completed","usage":{"input_tokens":-1,"output_tokens":-1}}'],
    ['gemini', '{"type":"result","stats":{"models":{"m":{"total_tokens":1,"input_tokens":-1,"input":1}}}}'],
    ['opencode', '{"type":"step_finish","part":{"tokens":{"input":-1,"output":1},"cost":-1}}'],
  ])('of %s with a usage of minus one has none', (kind, line) => {
    const reading = reads(kind, Buffer.from(line));
    expect(sumTokenUsage(reading)).toBeNull();
    expect(reading.costUsd).toBeNull();
  });
});
