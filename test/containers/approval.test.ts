import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runAgent } from '../../containers/agent/agent.ts';
import type { AgentAssignment } from '../../shared/messages/assignment.ts';
import { sha256 } from '../../shared/tokens.ts';
import { makeRepository, temporaryFolder } from '../support/repository.ts';
import { agentAssignment, inBox } from './box.ts';
import { type Call, type FakeApi, startFakeApi } from './fake-api.ts';
import { fakeCli } from './fake-cli.ts';

const repository = makeRepository({ 'a.txt': 'a\n' });
const base = repository.git('rev-parse', 'HEAD');
let api: FakeApi;
beforeEach(async () => {
  api = await startFakeApi();
});
afterEach(() => api.stop());

const ASK = '{"action":"deploy:production","title":"Ship"}';
const answered = (status: string, of: string) => (call: Call) =>
  call.route === 'park'
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
  return { parks: api.bodies('park'), complete: api.bodies('complete')[0], fail: api.bodies('fail')[0] };
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
        work: {
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
    api.answer = answered('in_progress', 'approved');
    const bin = temporaryFolder();
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

describe('an attempt that goes on after a person has decided', () => {
  test('finds what it had changed, and hands in all of it against the base', async () => {
    const changed = makeRepository({ 'a.txt': 'a\n' });
    const patch = Buffer.from(
      `diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n a\n+b\n`,
    );
    changed.commit({ 'a.txt': 'a\nb\n' });
    const tree = changed.git('rev-parse', 'HEAD^{tree}');
    api.objects.set('/objects/parked', patch);
    const parked = { tree, patch_url: `${api.url}/objects/parked`, patch_sha256: sha256(patch) };
    const { complete } = await runs('cat a.txt; echo c >> a.txt', { parked });
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
    expect((await runs('true', { parked })).fail).toMatchObject({ failure_class: 'patch_does_not_apply' });
  });
});
