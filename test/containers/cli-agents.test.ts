import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAgentRunState } from '../../containers/agent/adapters/run-state.ts';
import { type AgentSessionOptions, runAgentSession } from '../../containers/agent/agent-session.ts';
import { loadRole } from '../../containers/agent/load-role.ts';
import { describeAgentProgress } from '../../containers/agent/progress.ts';
import { runAgent } from '../../containers/agent/run-agent.ts';
import { determineAgentFailure } from '../../containers/agent/session-failure.ts';
import { prepareWorkspace } from '../../containers/agent/workspace-layout.ts';
import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import { fetchCommit } from '../../workspace/git/fetch-commits.ts';
import { createTemporaryFolder, createTestRepository } from '../support/git-repository.ts';
import { agentAssignment, inBox } from './box.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';
import { fakeCli } from './fake-cli.ts';

const repository = createTestRepository({ 'a.txt': 'a\n', 'AGENTS.md': 'Be brief.\n' });
const base = repository.git('rev-parse', 'HEAD');
const MODELS = {
  token: 'assay_md_token-of-the-attempt',
  base_urls: {
    anthropic: 'http://models.test',
    openai: 'http://models.test/v1',
    gemini: 'http://models.test',
  },
  models: [],
  metered: true,
};
const recorded = (path: string): string => resolve('test/fixtures/agent-clis', path);
let api: FakeApi;
let tmp: string;
beforeEach(async () => {
  api = await startFakeApi();
  tmp = createTemporaryFolder();
});
afterEach(() => api.stop());

const assigned = (kind: 'claude' | 'codex' | 'gemini' | 'opencode', more: Partial<AgentAssignment> = {}) =>
  agentAssignment(api, repository.url, [], {
    base_commit: base,
    adapter: { kind, timeout_s: 60 },
    model_access: MODELS,
    ...more,
  });

async function runs(
  kind: 'claude' | 'codex' | 'gemini' | 'opencode',
  script: string,
  more: Partial<AgentAssignment> = {},
) {
  vi.stubEnv('PATH', fakeCli(tmp, kind, script));
  await inBox((box) => runAgent(assigned(kind, more), box));
  return { complete: api.bodies('complete')[0], fail: api.bodies('fail')[0] };
}

describe('an agent CLI', () => {
  test('that does the work hands it in, with what it said and what it used', async () => {
    const { complete, fail } = await runs(
      'claude',
      `echo hello > hello.txt; cat ${recorded('claude/schema.jsonl')}`,
    );
    expect(fail).toBeUndefined();
    expect(complete).toMatchObject({
      summary: 'stub',
      usage: { input_tokens: 3_300, output_tokens: 123, cache_read_tokens: 600, cache_write_tokens: 900 },
      transcript_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(String(complete?.['patch'])).toContain('diff --git a/hello.txt b/hello.txt');
  });

  test('that exits with 0 and was refused has failed', async () => {
    const { complete, fail } = await runs('codex', `cat ${recorded('codex/model-refuses.jsonl')}`);
    expect(complete).toBeUndefined();
    expect(fail).toMatchObject({ failure_code: 'refused', usage: { input_tokens: 1_000 } });
  });

  test('that has met the limit of a subscription is rate limited until the time that it names', async () => {
    const resetsAt = Math.ceil(Date.now() / 1_000) + 3 * 86_400;
    const limit = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } };
    const end = { type: 'result', subtype: 'success', is_error: true, result: 'API Error: limit' };
    const { fail } = await runs('claude', `echo '${JSON.stringify(limit)}'; echo '${JSON.stringify(end)}'`);
    expect(fail).toMatchObject({ failure_code: 'rate_limited' });
    expect(Number(fail?.['retry_after_s'])).toBeGreaterThan(3 * 86_400 - 120);
  });

  test('that says it is blocked is believed', async () => {
    const event = '{"type":"result","structured_output":{"status":"blocked","summary":"no database here"}}';
    const { fail } = await runs('claude', `echo '${event}'`);
    expect(fail).toMatchObject({ failure_code: 'agent_blocked', reason: 'no database here' });
  });

  test.each([
    [
      'that refuses its command line',
      'echo "error: unknown option" >&2; exit 1',
      'config_invalid',
      'unknown option',
    ],
    [
      'that ends in mid-run',
      `head -2 ${recorded('claude/success.jsonl')}; exit 1`,
      'agent_crashed',
      'exited with 1 before its last event',
    ],
    [
      'that is killed',
      `head -2 ${recorded('claude/success.jsonl')}; kill -SEGV $$`,
      'agent_crashed',
      'was ended by SIGSEGV',
    ],
  ])('%s is told from others', async (_, script, failure_code, reason) => {
    const { fail } = await runs('claude', script);
    expect(fail).toMatchObject({ failure_code, reason: expect.stringContaining(reason) });
  });

  test('that is not installed is named', async () => {
    vi.stubEnv('PATH', '/usr/bin:/bin');
    await inBox((box) => runAgent(assigned('opencode'), box));
    expect(api.bodies('fail')[0]).toMatchObject({
      failure_code: 'config_invalid',
      reason: "the adapter's program opencode is not installed in the agent box",
    });
  });

  test('gets a home of its own, the token of the attempt and nothing of the host; the token is in no transcript', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'key-of-the-host');
    vi.stubEnv('HOME', '/home/of-the-host');
    const { complete } = await runs(
      'claude',
      `printf '%s\\n' "$@" > argv.txt; env > env.txt; ls -A "$HOME" > home.txt; echo "$ANTHROPIC_AUTH_TOKEN"; cat ${recorded('claude/success.jsonl')}`,
    );
    const patch = String(complete?.['patch']);
    expect(patch).toContain(`+ANTHROPIC_AUTH_TOKEN=${MODELS.token}`);
    expect(patch).not.toMatch(/of-the-host/);
    expect(patch).toContain('+DISABLE_TELEMETRY=1');
    expect(patch).toMatch(/^\+--append-system-prompt-file\n\+\/.*\/tmp\/instructions\.md$/m);
    expect(api.objects.get('/objects/transcript')?.toString()).not.toContain(MODELS.token);
  });

  test('is told where to read a prompt that is too long for an argument', async () => {
    const { complete } = await runs(
      'claude',
      `printf '%s' "$2" > argv.txt; wc -c < "$ASSAY_PROMPT_FILE" > size.txt; cat ${recorded('claude/success.jsonl')}`,
      { prompt: { TASK_DESCRIPTION: 'é'.repeat(5_000_000) } },
    );
    const patch = String(complete?.['patch']);
    expect(patch).toMatch(/\+Your task is in the file \/.*prompt\.md\./);
    expect(Number(/^\+(10\d{6})$/m.exec(patch)?.[1])).toBeGreaterThan(10_000_000);
  });

  test('shows how far it is with its heartbeats, and says the same thing once', async () => {
    const done = join(tmp, 'go');
    const running = runs(
      'claude',
      `head -4 ${recorded('claude/success.jsonl')}; while [ ! -e ${done} ]; do sleep 0.05; done; tail -1 ${recorded('claude/success.jsonl')}; touch ${done}`,
      { heartbeat_s: 0.05 },
    );
    await vi.waitFor(
      () => expect(api.calls.filter(({ route }) => route === 'heartbeat').length).toBeGreaterThan(1),
      {
        timeout: 30_000,
      },
    );
    await vi.waitFor(() => expect(api.bodies('progress')).not.toEqual([]), { timeout: 30_000 });
    expect(api.bodies('progress')).toEqual([{ message: '2 turns, 2 tool calls, 1 file' }]);
    const { writeFileSync } = await import('node:fs');
    writeFileSync(done, '');
    expect((await running).complete).toBeDefined();
  });
});

describe('stopping an agent CLI', () => {
  const session = (script: string, options: { timeout_s?: number } & Omit<AgentSessionOptions, 'abort'>) =>
    inBox(async (box) => {
      vi.stubEnv('PATH', fakeCli(tmp, 'codex', script));
      const assignment = assigned('codex', {
        adapter: { kind: 'codex', timeout_s: options.timeout_s ?? 60 },
      });
      const { store } = await fetchCommit(join(box.workDir, 'store.git'), {
        url: repository.url,
        ref: base,
        authorization: null,
        allowFile: true,
      });
      const role = await loadRole(assignment.role, store, base);
      const prepared = await prepareWorkspace(assignment, box, role, store, base);
      const ended = await runAgentSession(assignment, box, prepared, {
        graceMs: 100,
        ...options,
        abort: new AbortController().signal,
      });
      return { ...ended, failure: determineAgentFailure(ended, 'codex') };
    });

  test('asks with SIGINT first and reads what it prints on its way out', async () => {
    const { failure, runState } = await session(
      `trap 'cat ${recorded('codex/success.jsonl')}; exit 0' INT; while :; do sleep 0.05; done`,
      { timeout_s: 1, graceMs: 30_000 },
    );
    expect(failure?.class).toBe('timeout');
    expect(runState?.usageByModel.get('')).toMatchObject({ output_tokens: 123 });
  });

  test('goes on to SIGTERM, and to SIGKILL', async () => {
    const { failure, result } = await session(
      `trap 'echo int' INT; trap 'echo term' TERM; while :; do sleep 0.05; done`,
      { timeout_s: 1, graceMs: 500 },
    );
    expect(failure?.class).toBe('timeout');
    expect(result.output).toMatch(/^int\n[\s\S]*term\n$/);
  });

  test('tells one that is silent to go on with its session, and takes what it then does', async () => {
    const { failure, runState, result, watchdogStop } = await session(
      `if [ "$2" != resume ]; then head -1 ${recorded('codex/success.jsonl')}; exec sleep 60; fi
printf '%s\\n' "$@" >&2; cat ${recorded('codex/success.jsonl')}`,
      { silenceMs: 1_500 },
    );
    expect([failure, watchdogStop]).toEqual([null, null]);
    expect(runState).toMatchObject({ nudges: 1, hasEnded: true });
    const said = result.output.split('\n');
    expect(said.find((line) => line.startsWith('You have said nothing for 1.5 seconds'))).toContain('Go on');
    expect(said).toContain(runState?.sessionId);
    expect(describeAgentProgress(runState ?? createAgentRunState())).toContain('nudged');
  });

  test('stops one that has printed its final event and does not exit, and takes its result', async () => {
    const { failure, runState, result, watchdogStop } = await session(
      `cat ${recorded('codex/success.jsonl')}
trap 'echo "{\\"type\\":\\"turn.failed\\",\\"error\\":{\\"message\\":\\"interrupted\\"}}"; exit 1' INT; while :; do sleep 0.05; done`,
      { silenceMs: 5_000, lingerMs: 300 },
    );
    expect([failure, watchdogStop]).toEqual([null, null]);
    expect(runState).toMatchObject({ nudges: 0, hasEnded: true });
    expect(result.output).toContain('interrupted');
    expect(result.durationMs).toBeLessThan(5_000);
  });

  test('takes a final event that came in time, also where the time ends before the process', async () => {
    const { failure } = await session(`cat ${recorded('codex/success.jsonl')}; exec sleep 60`, {
      timeout_s: 1,
      lingerMs: 30_000,
    });
    expect(failure).toBeNull();
  });

  test('ends one that stays silent, and one that nobody can tell anything', async () => {
    const silent = `head -1 ${recorded('codex/success.jsonl')}; exec sleep 60`;
    const told = await session(silent, { silenceMs: 700 });
    expect(told.failure).toEqual({
      class: 'timeout',
      reason: 'the agent said nothing for 0.7 s, also after it was told to go on, and was stopped',
    });
    const first = await session('exec sleep 60', { silenceMs: 300 });
    expect(first.failure?.reason).toBe('the agent said nothing for 0.3 s, and was stopped');
    expect(first.runState?.nudges).toBe(0);
  });

  test("holds it to its role's turns, where it does not count them itself", async () => {
    const tool = '{"type":"item.completed","item":{"type":"command_execution"}}';
    const { failure } = await session(`while :; do echo '${tool}'; sleep 0.02; done`, {
      limits: { max_turns: 3 },
    });
    expect(failure).toEqual({ class: 'turn_limit', reason: 'the agent was stopped after 3 turns' });
  });

  test('happens when it does nothing but wait for a network that is not there', async () => {
    const { failure, watchdogStop } = await session(
      `cat ${recorded('codex/connection-refused.jsonl')}; while :; do tail -1 ${recorded('codex/connection-refused.jsonl')}; sleep 0.05; done`,
      { waitingMs: 300 },
    );
    expect(watchdogStop).toMatchObject({
      reason: 'waiting',
      for: expect.stringContaining('waiting for network'),
    });
    expect(failure).toMatchObject({ class: 'provider_transient' });
  });
});
