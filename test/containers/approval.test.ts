import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runAgent } from '../../containers/agent/run-agent.ts';
import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import { sha256 } from '../../shared/lib/sha256.ts';
import { createTemporaryFolder, createTestRepository } from '../support/git-repository.ts';
import { agentAssignment, inBox } from './box.ts';
import { type Call, type FakeApi, startFakeApi } from './fake-api.ts';
import { fakeCli } from './fake-cli.ts';

const repository = createTestRepository({ 'a.txt': 'a\n' });
const base = repository.git('rev-parse', 'HEAD');
let api: FakeApi;
beforeEach(async () => {
  api = await startFakeApi();
});
afterEach(() => api.stop());

const ASK = '{"action":"deploy:production","title":"Ship"}';
const answered = (status: string, of: string) => (call: Call) =>
  call.route === 'requestApproval'
    ? {
        status: 200,
        body: {
          status,
          approval: {
            action: call.body['action'],
            title: 'Ship',
            status: of,
            decided_by: 'ann',
            decision_reason: null,
          },
        },
      }
    : null;

async function runs(script: string, more: Partial<AgentAssignment> = {}) {
  await inBox((box) =>
    runAgent(
      agentAssignment(api, repository.url, ['bash', '-c', script], { base_commit: base, ...more }),
      box,
    ),
  );
  return {
    parks: api.bodies('requestApproval'),
    complete: api.bodies('complete')[0],
    fail: api.bodies('fail')[0],
  };
}

describe('an agent that asks for leave', () => {
  test('is stopped as soon as it has asked, its work goes along, and its box ends without a report', async () => {
    api.answer = answered('auth_required', 'pending');
    const { parks, complete, fail } = await runs(
      `echo b >> a.txt; echo '${ASK}' > $ASSAY_APPROVAL_FILE; sleep 600`,
    );
    const patch = api.objects.get('/objects/patch') ?? Buffer.from('');
    expect(parks).toEqual([
      {
        action: 'deploy:production',
        title: 'Ship',
        description: '',
        parked_work: {
          tree: expect.stringMatching(/^[0-9a-f]{40}$/),
          patch_sha256: sha256(patch),
          patch_bytes: patch.length,
        },
      },
    ]);
    expect(patch.toString()).toContain('+b');
    expect([complete, fail]).toEqual([undefined, undefined]);
  });

  test('goes on at once where it has leave, with the answer and all that it had changed', async () => {
    api.answer = answered('in_progress', 'approved');
    const { parks, complete } = await runs(
      `if grep -q 'approved by ann' "$ASSAY_PROMPT_FILE"; then cat a.txt; else echo b >> a.txt; echo '${ASK}' > $ASSAY_APPROVAL_FILE; fi`,
    );
    expect(parks).toHaveLength(1);
    expect(complete).toMatchObject({ summary: expect.stringContaining('a\nb') });
  });

  test('goes on in its session where the CLI can', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    api.answer = answered('in_progress', 'approved');
    const bin = createTemporaryFolder();
    vi.stubEnv(
      'PATH',
      fakeCli(
        bin,
        'claude',
        `echo "$@" >> ${bin}/calls
echo '{"type":"system","session_id":"s-1"}'
case "$*" in *--resume*) echo c >> a.txt; echo '{"type":"result","session_id":"s-1","num_turns":1,"structured_output":{"status":"done","summary":"shipped"}}';; *) echo '${ASK}' > $ASSAY_APPROVAL_FILE; exec sleep 600;; esac`,
      ),
    );
    const adapter = { kind: 'claude' as const, timeout_s: 60 };
    const { complete } = await runs('', { adapter });
    expect(complete).toMatchObject({ summary: 'shipped' });
    expect(String(complete?.['patch'])).toContain('+c');
  });

  test('has its session kept for the next box, without the token for models', async () => {
    api.answer = answered('auth_required', 'pending');
    const bin = createTemporaryFolder();
    vi.stubEnv(
      'PATH',
      fakeCli(
        bin,
        'claude',
        `mkdir -p $CLAUDE_CONFIG_DIR/projects/here; echo "{\\"token\\":\\"$ANTHROPIC_AUTH_TOKEN\\"}" > $CLAUDE_CONFIG_DIR/projects/here/s-1.jsonl
echo '{"type":"system","session_id":"s-1"}'; echo '${ASK}' > $ASSAY_APPROVAL_FILE; exec sleep 600`,
      ),
    );
    const base_urls = { anthropic: 'http://127.0.0.1:9', openai: '', gemini: '' };
    const models = { token: 'planted-token', base_urls, models: [], metered: true };
    const { parks } = await runs('', { adapter: CLAUDE, model_access: models });
    const kept = api.objects.get('/objects/session') ?? Buffer.from('');
    expect(kept.toString()).toBe('{"token":"[token of the attempt]"}\n');
    expect(parks[0]?.['parked_session']).toEqual({ id: 's-1', sha256: sha256(kept) });
  });

  test.each([
    ['prints it', 'echo said on the side >&2; echo "of $2"', 'of s-1\n'],
    ['prints more of it than is kept', 'head -c 9000000 /dev/zero', null],
    ['cannot print it', 'echo half; exit 3', null],
    ['prints nothing', 'true', null],
  ])('has the session kept of a CLI that %s', async (_name, prints, kept) => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    api.answer = answered('auth_required', 'pending');
    vi.stubEnv(
      'PATH',
      fakeCli(
        createTemporaryFolder(),
        'opencode',
        `if [ "$1" = export ]; then ${prints}; exit; fi
echo '{"type":"step_start","sessionID":"s-1"}'; echo '${ASK}' > $ASSAY_APPROVAL_FILE; exec sleep 600`,
      ),
    );
    const { parks } = await runs('', { adapter: { kind: 'opencode', timeout_s: 60 } });
    expect(parks).toHaveLength(1);
    expect(parks[0]?.['parked_session'] !== undefined).toBe(kept !== null);
    if (kept !== null) expect(api.objects.get('/objects/session')?.toString()).toBe(kept);
  });

  test.each([
    ['leads out of its home', 'ln -s /etc projects/here; ln -s /etc/passwd projects/s-1.jsonl'],
    ['is not there', 'true'],
    ['is none', 'mkdir projects/s-1.jsonl'],
  ])('asks without one where its record %s', async (_name, script) => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    api.answer = answered('auth_required', 'pending');
    vi.stubEnv(
      'PATH',
      fakeCli(
        createTemporaryFolder(),
        'claude',
        `mkdir -p $CLAUDE_CONFIG_DIR/projects; (cd $CLAUDE_CONFIG_DIR; ${script})
echo '{"type":"system","session_id":"s-1"}'; echo '${ASK}' > $ASSAY_APPROVAL_FILE; exec sleep 600`,
      ),
    );
    const { parks } = await runs('', { adapter: CLAUDE });
    expect(parks).toHaveLength(1);
    expect(parks[0]).not.toHaveProperty('session');
  });

  test('is told what is wrong with its question, and goes on', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const { parks, complete } = await runs(
      'echo \'{"action":"deploy"}\' > $ASSAY_APPROVAL_FILE; until [ -s $ASSAY_APPROVAL_FILE.error ]; do sleep 0.05; done; cat $ASSAY_APPROVAL_FILE.error; rm $ASSAY_APPROVAL_FILE',
    );
    expect(parks).toEqual([]);
    expect(complete).toMatchObject({ summary: expect.stringMatching(/category:action[\s\S]*title/) });
  });

  test('through a link or a pipe asks nothing', async () => {
    const { parks, complete } = await runs(
      'mkfifo $ASSAY_APPROVAL_FILE; sleep 0.2; rm $ASSAY_APPROVAL_FILE; ln -s /etc/passwd $ASSAY_APPROVAL_FILE; echo hm',
    );
    expect(parks).toEqual([]);
    expect(complete).toMatchObject({ summary: 'hm' });
  });
});

const CLAUDE = { kind: 'claude' as const, timeout_s: 60 };

describe('an attempt that goes on after a person has decided', () => {
  const record = Buffer.from('{"said":"before"}\n');
  const resumed = () => {
    api.objects.set('/objects/kept', record);
    return {
      session: 's-1',
      url: `${api.url}/objects/kept`,
      sha256: sha256(record),
      message: 'approved by ann',
    };
  };
  /** Writes down how it was called and what it finds of the session. */
  const cli = (rest: string): string => {
    const bin = createTemporaryFolder();
    vi.stubEnv(
      'PATH',
      fakeCli(
        bin,
        'claude',
        `case "$*" in *--resume*) echo "resumed $2: $(cat $CLAUDE_CONFIG_DIR/projects/$(pwd -P | tr -c 'a-zA-Z0-9\n' -)/s-1.jsonl)" >> ${bin}/calls; ${rest};; *) echo anew >> ${bin}/calls;; esac
echo '{"type":"system","session_id":"s-2"}'; echo '{"type":"result","session_id":"s-2","num_turns":1,"structured_output":{"status":"done","summary":"shipped"}}'`,
      ),
    );
    return `${bin}/calls`;
  };

  test('goes on in the session of the box before, where its CLI looks for it', async () => {
    const calls = cli('true');
    const { complete } = await runs('', { adapter: CLAUDE, resumed_session: resumed() });
    expect(complete).toMatchObject({ summary: 'shipped' });
    expect(readFileSync(calls, 'utf8')).toBe('resumed approved by ann: {"said":"before"}\n');
  });

  test('starts anew where the CLI does not know the session', async () => {
    const calls = cli('echo no such session >&2; exit 1');
    const { complete } = await runs('', { adapter: CLAUDE, resumed_session: resumed() });
    expect(complete).toMatchObject({ summary: 'shipped' });
    expect(readFileSync(calls, 'utf8')).toMatch(/^resumed .*\nanew\n$/);
  });

  test('starts anew where what was kept is not what is there', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const calls = cli('true');
    await runs('', { adapter: CLAUDE, resumed_session: { ...resumed(), sha256: 'f'.repeat(64) } });
    expect(readFileSync(calls, 'utf8')).toBe('anew\n');
  });

  /** What each kind prints of a session of its own, and how its CLI is told to go on. */
  const OTHERS = {
    gemini: `*--resume*) echo "resumed $2: $(cat .../home/.gemini/tmp/checkout/chats/session-*-s-1.jsonl)" >> CALLS;; *) echo anew >> CALLS;; esac
echo '{"type":"init","session_id":"s-2"}'; echo '{"type":"message","role":"assistant","content":"shipped"}'; echo '{"type":"result","status":"success","stats":{"models":{}}}'`,
    opencode: `import*) cp "$2" .../home/taken;; *--session*) echo "resumed \${@: -1}: $(cat .../home/taken)" >> CALLS;; *) echo anew >> CALLS;; esac
[ "$1" = import ] || { echo '{"type":"text","sessionID":"s-2","part":{"text":"shipped"}}'; echo '{"type":"step_finish","part":{"reason":"stop","tokens":{"input":1,"output":1}}}'; }`,
  } as const;
  const other = (kind: keyof typeof OTHERS, script: string = OTHERS[kind]): string => {
    const bin = createTemporaryFolder();
    const written = script.replaceAll('CALLS', `${bin}/calls`).replaceAll('.../home', '$HOME');
    vi.stubEnv('PATH', fakeCli(bin, kind, `case "$*" in ${written}`));
    return `${bin}/calls`;
  };

  test.each(['gemini', 'opencode'] as const)(
    'goes on in the session of the box before with %s',
    async (kind) => {
      const calls = other(kind);
      const { complete } = await runs('', { adapter: { kind, timeout_s: 60 }, resumed_session: resumed() });
      expect(complete).toMatchObject({ summary: 'shipped' });
      expect(readFileSync(calls, 'utf8')).toBe('resumed approved by ann: {"said":"before"}\n');
    },
  );

  test('starts anew where the CLI does not take up what it has printed of a session', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const calls = other(
      'opencode',
      OTHERS.opencode.replace('cp "$2" .../home/taken', 'echo broken >&2; exit 1'),
    );
    const { complete } = await runs('', {
      adapter: { kind: 'opencode', timeout_s: 60 },
      resumed_session: resumed(),
    });
    expect(complete).toMatchObject({ summary: 'shipped' });
    expect(readFileSync(calls, 'utf8')).toBe('anew\n');
    expect(String(error.mock.calls)).toContain('opencode import: exited: broken');
  });

  test('finds what it had changed, and hands in all of it against the base', async () => {
    const changed = createTestRepository({ 'a.txt': 'a\n' });
    const patch = Buffer.from(
      `diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n a\n+b\n`,
    );
    changed.commit({ 'a.txt': 'a\nb\n' });
    const tree = changed.git('rev-parse', 'HEAD^{tree}');
    api.objects.set('/objects/parked', patch);
    const parked = { tree, patch_url: `${api.url}/objects/parked`, patch_sha256: sha256(patch) };
    const { complete } = await runs('cat a.txt; echo c >> a.txt', { parked_work: parked });
    expect(complete).toMatchObject({ base_commit: base, summary: 'a\nb' });
    expect(String(complete?.['patch'])).toMatch(/\+b\n\+c/);
  });

  test('fails where what was parked is not what is there', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const patch = Buffer.from('nonsense');
    api.objects.set('/objects/parked', patch);
    const parked = {
      tree: 'b'.repeat(40),
      patch_url: `${api.url}/objects/parked`,
      patch_sha256: sha256(patch),
    };
    expect((await runs('true', { parked_work: parked })).fail).toMatchObject({
      failure_code: 'patch_does_not_apply',
    });
  });
});
