import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runAgent } from '../../containers/agent/run-agent.ts';
import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import { createTemporaryFolder, createTestRepository } from '../support/git-repository.ts';
import { agentAssignment, inBox } from './box.ts';
import { type FakeApi, startFakeApi } from './fake-api.ts';
import { fakeCli } from './fake-cli.ts';

const gate = (lines: string) =>
  createTestRepository({
    'a.txt': 'a\n',
    '.gitignore': 'tried\n',
    'assay.yaml': `verification_gate:\n${lines}\n`,
  });
let api: FakeApi;
let tmp: string;
beforeEach(async () => {
  api = await startFakeApi();
  tmp = createTemporaryFolder();
});
afterEach(() => api.stop());

async function handsIn(
  repository: ReturnType<typeof gate>,
  script: string,
  more: Partial<AgentAssignment> = {},
) {
  const base_commit = repository.git('rev-parse', 'HEAD');
  await inBox((box) =>
    runAgent(
      agentAssignment(api, repository.url, ['bash', '-c', script, 'x', '{prompt_file}'], {
        base_commit,
        ...more,
      }),
      box,
    ),
  );
  return { complete: api.bodies('complete')[0], fail: api.bodies('fail')[0] };
}

const WANTS_DONE = gate('  required_tests: [test -e done.txt]');

describe('an agent that wants to stop', () => {
  test('is told what is missing and goes on, and what was looked at is handed in', async () => {
    const script =
      'cp "$1" prompt-$ASSAY_ATTEMPT-$(ls | wc -l).txt; grep -q "test -e done.txt" "$1" && touch done.txt; echo said';
    const { complete } = await handsIn(WANTS_DONE, script);
    expect(complete).toMatchObject({
      verification_gate: { state: 'satisfied', nudges: { tests: 1, compilation: 0 }, missing: [] },
    });
    const patch = String(complete?.['patch']);
    expect(patch).toContain('b/done.txt');
    expect(patch).toContain('Do it.');
    expect(patch).toMatch(/^\+- a required test does not end well: test -e done\.txt$/m);
  });

  test('and mends nothing is let go by force, after two nudges of tests', async () => {
    const { complete } = await handsIn(WANTS_DONE, 'echo run >> tried; echo b > a.txt; echo "all verified"');
    expect(complete).toMatchObject({
      verification_gate: {
        state: 'forced',
        nudges: { tests: 2, compilation: 0 },
        missing: ['a required test does not end well: test -e done.txt'],
      },
    });
    expect(String(complete?.['output_tail']).match(/all verified/g)).toHaveLength(3);
  });

  test('is told of compilation as often as the base says', async () => {
    const { complete } = await handsIn(
      gate('  require_compilation: "! grep -q broken a.txt"\n  compilation_max_attempts: 3'),
      'n=$(cat tried 2>/dev/null || echo 0); echo $((n+1)) > tried; if [ $n -lt 3 ]; then echo broken > a.txt; else echo good > a.txt; fi',
    );
    expect(complete).toMatchObject({
      verification_gate: { state: 'satisfied', nudges: { tests: 0, compilation: 3 } },
    });
  });

  test('without having changed a file is told so', async () => {
    const { complete } = await handsIn(gate('  require_file_changes: true\n  max_attempts: 1'), 'echo done');
    expect(complete).toMatchObject({
      patch: '',
      verification_gate: { state: 'forced', nudges: { tests: 1 }, missing: ['no file was changed'] },
    });
  });

  test('is asked for the tests that its task names, unless the base says otherwise', async () => {
    const more = { test_commands: ['test -e never'] };
    expect(await handsIn(gate('  max_attempts: 0'), 'true', more)).toMatchObject({
      complete: { verification_gate: { state: 'forced' } },
    });
    const other = await startFakeApi();
    await api.stop();
    api = other;
    const { complete } = await handsIn(gate('  max_attempts: 0\n  task_tests: false'), 'true', more);
    expect(complete).toBeDefined();
    expect(complete).not.toHaveProperty('verification_gate');
  });

  test('is not told of what could not be run, and that is not taken for a pass', async () => {
    const { complete } = await handsIn(gate('  required_tests: [no-such-tool-here]'), 'echo run >> tried');
    expect(complete).toMatchObject({
      verification_gate: {
        state: 'could_not_run',
        nudges: { tests: 0 },
        missing: ['could_not_run: no-such-tool-here'],
      },
    });
  });

  test('and fails when it is told keeps what it had, as forced', async () => {
    const { complete, fail } = await handsIn(
      WANTS_DONE,
      'if [ -e tried ]; then echo worse > a.txt; exit 1; fi; touch tried; echo b > a.txt',
    );
    expect(fail).toBeUndefined();
    expect(String(complete?.['patch'])).toContain('+b\n');
    expect(complete).toMatchObject({
      verification_gate: { state: 'forced', reason: expect.stringContaining('the agent exited with 1') },
    });
  });

  test('and says then that it is blocked, or whose provider is down then, fails as it would have', async () => {
    const blocked =
      'if [ -e tried ]; then echo \'{"status":"blocked","summary":"no tool"}\' > $ASSAY_USAGE_FILE; fi; touch tried';
    expect(await handsIn(WANTS_DONE, blocked)).toMatchObject({
      complete: undefined,
      fail: { failure_code: 'agent_blocked', reason: 'no tool' },
    });
    const other = await startFakeApi();
    await api.stop();
    api = other;
    const down = 'if [ -e tried ]; then echo "HTTP 429"; exit 1; fi; touch tried';
    expect(await handsIn(WANTS_DONE, down)).toMatchObject({
      complete: undefined,
      fail: { failure_code: 'agent_failed', exit: { exit_code: 1, failure_text_source: 'output_tail' } },
    });
  });

  test('cannot lead the next prompt elsewhere, or change what asks for it', async () => {
    const script =
      'd=$(dirname "$ASSAY_PROMPT_FILE"); for n in 1 2 3; do ln -sf /tmp/assay-hacked "$d/nudge-$n.md"; ln -sf /tmp/assay-hacked "$d/prompt.md" 2>/dev/null; done; printf "verification_gate: {}\\n" > assay.yaml';
    const { complete } = await handsIn(WANTS_DONE, script);
    expect(complete).toMatchObject({ verification_gate: { state: 'forced', nudges: { tests: 2 } } });
    expect(existsSync('/tmp/assay-hacked')).toBe(false);
  });

  test.each(['  required_tests: 5', '  max_attempts: many\n  required_tests: [x]', '  nope: 1'])(
    'never starts where the base cannot be understood: %s',
    async (lines) => {
      const { fail } = await handsIn(gate(lines), 'touch /tmp/assay-started');
      expect(fail).toMatchObject({
        failure_code: 'config_invalid',
        reason: expect.stringMatching(/^assay\.yaml:\d+: verification_gate\./),
      });
    },
  );
});

describe('an agent CLI that wants to stop', () => {
  const done = (n: number) =>
    `{"type":"system","session_id":"s-1"}\\n{"type":"result","session_id":"s-1","total_cost_usd":0.25,"modelUsage":{"m":{"inputTokens":${n},"outputTokens":1}},"structured_output":{"status":"done","summary":"run ${n}"}}\\n`;
  test('is told in its session, where it has one, and what the session used is counted once', async () => {
    const script = `if [[ "$*" == *"--resume s-1"* ]]; then touch done.txt; printf '${done(20)}'; else printf '${done(10)}'; fi; printf '%s\\n' "$@" >> ${join(tmp, 'argv')}`;
    vi.stubEnv('PATH', fakeCli(tmp, 'claude', script));
    const { complete } = await handsIn(WANTS_DONE, '', { adapter: { kind: 'claude', timeout_s: 60 } });
    expect(complete).toMatchObject({
      summary: 'run 20',
      usage: { input_tokens: 20, output_tokens: 1 },
      verification_gate: { state: 'satisfied', nudges: { tests: 1 } },
    });
  });

  test('starts anew with the message after its task, where it has none', async () => {
    const events = '{"type":"result","status":"success","stats":{"models":{}}}\\n';
    const script = `if [[ "$2" == *"do not stop before they end well"* && "$2" == *"Do it."* ]]; then touch done.txt; fi; printf '${events}'`;
    vi.stubEnv('PATH', fakeCli(tmp, 'gemini', script));
    const { complete } = await handsIn(WANTS_DONE, '', { adapter: { kind: 'gemini', timeout_s: 60 } });
    expect(complete).toMatchObject({ verification_gate: { state: 'satisfied', nudges: { tests: 1 } } });
  });
});
