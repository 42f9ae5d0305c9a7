import { describe, expect, it, vi } from 'vitest';
import { createAgentRunState } from '../../containers/agent/adapters/run-state.ts';
import type { AgentSession } from '../../containers/agent/agent-session.ts';
import { AttemptRun, type PreparedAttempt } from '../../containers/agent/attempt-run.ts';

const SESSION = {
  result: { end: 'exited', exitCode: 0, signal: null, startError: null, output: '' },
  runState: { ...createAgentRunState(), sessionId: 's', summary: 'wrote it', lastMessage: 'done' },
  watchdogStop: null,
  approvalRequest: null,
} as unknown as AgentSession;

function createAttempt({ isAborted = false, isBoxAborted = false } = {}) {
  const post = vi.fn(async () => ({}));
  const upload = vi.fn(async (name: string) => `sha256 of ${name}`);
  const attempt = {
    assignment: { base_commit: 'base', adapter: { kind: 'command' } },
    client: { post, upload },
    abort: isAborted ? AbortSignal.abort() : new AbortController().signal,
    box: { abort: isBoxAborted ? AbortSignal.abort() : new AbortController().signal },
    workspace: { layout: { usageFile: '/none' } },
    options: { deadline: 0 },
  } as unknown as PreparedAttempt;
  return { run: new AttemptRun(attempt), post, upload };
}

describe('AttemptRun.handIn', () => {
  it('sends a small text patch within the report', async () => {
    const { run, post, upload } = createAttempt();
    const work = { tree: 'tree', patch: Buffer.from('+a\n') };
    await run.handIn({ session: SESSION, work });
    expect(post).toHaveBeenCalledExactlyOnceWith(
      'complete',
      expect.objectContaining({ base_commit: 'base', tree: 'tree', patch: '+a\n', summary: 'wrote it' }),
    );
    expect(upload).not.toHaveBeenCalled();
  });

  it.each([
    ['is large', Buffer.alloc(256 * 1024, 'a')],
    ['is not UTF-8', Buffer.from([0xff, 0xfe])],
  ])('uploads a patch that %s', async (_, patch) => {
    const { run, post } = createAttempt();
    await run.handIn({ session: SESSION, work: { tree: 'tree', patch } });
    expect(post).toHaveBeenCalledExactlyOnceWith(
      'complete',
      expect.objectContaining({ patch_sha256: 'sha256 of patch', patch_bytes: patch.length }),
    );
  });

  it.each([
    [0.2, 1],
    [1.5, 2],
    [1e9, 691_200],
  ])('reports a failure, with a retry after %d seconds as %d', async (retryAfterSeconds, retry_after_s) => {
    const { run, post } = createAttempt();
    const failure = { class: 'rate_limited', reason: ' ', retryAfterSeconds } as const;
    await run.handIn({ session: SESSION, failure });
    expect(post).toHaveBeenCalledExactlyOnceWith(
      'fail',
      expect.objectContaining({ failure_code: 'rate_limited', reason: 'no reason given', retry_after_s }),
    );
  });
});

describe('AttemptRun.run', () => {
  it('starts no agent and reports nothing once the lease is lost', async () => {
    const { run, post } = createAttempt({ isAborted: true });
    await run.run();
    expect(post).not.toHaveBeenCalled();
  });
});
