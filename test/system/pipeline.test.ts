import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type {
  AttemptChainRow,
  GateRow,
  VerificationNudgeRow,
} from '../../shared/control/ledger/record-rows.ts';
import { agent, PROJECT, Repository, RIGHT, uses, WRONG, writes } from './support/repository.ts';
import { Stack } from './support/stack.ts';

let stack: Stack;
let repository: Repository;
beforeAll(async () => {
  repository = new Repository(PROJECT);
  repository.commit('sketch', { 'assay.yaml': 'version: 1\nquality_gates:\n  enabled: false\n' });
  stack = await Stack.start();
});
afterAll(async () => {
  await stack.stop();
  repository.remove();
});

const base = (fields: Record<string, unknown> = {}) => ({
  title: 'Make sum add',
  repository: repository.url,
  ...fields,
});
const solves = agent(`${writes('src/sum.js', RIGHT)} ${uses(1_000_000, 0)}`);

describe('one task, end to end', () => {
  it('is solved by the cheapest tier, verified, and delivered as a branch', async () => {
    const { id } = await stack.submit(
      base({
        adapter: solves,
        completion_signals: [{ type: 'file_contains', path: 'src/sum.js', contains: 'a + b' }],
      }),
    );
    const task = await stack.ended(id);
    expect(task).toMatchObject({
      status: 'done',
      verdict: 'pass',
      verified: true,
      branch: `assay/${id}`,
      attempt_count: 1,
      cost_usd: 1,
      saved_vs_direct_opus_usd: 3,
      verification_count: 3,
    });
    expect(`${repository.show(`assay/${id}`, 'src/sum.js')}\n`).toBe(RIGHT);
    expect(repository.git('-C', repository.bare, 'rev-parse', `assay/${id}^{tree}`)).toBe(
      task.delivery?.tree,
    );
    expect(repository.commitsAbove('main', `assay/${id}`)).toBe(1);
  });

  it('climbs to the next tier when the cheapest breaks a test, and hands the reason on', async () => {
    const climbs = agent(
      `const prompt = fs.readFileSync(process.argv[2], 'utf8'); ${uses(100, 100)} if (model.includes('haiku')) { ${writes('src/sum.js', WRONG)} } else { ${writes('src/sum.js', RIGHT)} fs.writeFileSync('seen.txt', prompt); }`,
    );
    const { id } = await stack.submit(
      base({ adapter: { ...climbs, argv: [...climbs.argv, '{prompt_file}'] } }),
    );
    const task = await stack.ended(id);
    expect(task.status).toBe('done');
    const attempts = await stack.attempts(id);
    expect(attempts.map((attempt) => [attempt.tier, attempt.outcome])).toEqual([
      ['haiku', 'failed'],
      ['sonnet', 'passed'],
    ]);
    expect(attempts[0]?.decision).toMatchObject({
      action: 'escalate',
      reason: 'janitor verification failed',
    });
    expect(repository.show(`assay/${id}`, 'seen.txt')).toContain('Attempt 1 was not accepted');
  });

  it('opens a dependent when its dependency is done, and blocks it with a reason when that failed', async () => {
    const first = await stack.submit(base({ adapter: solves }));
    const second = await stack.submit(base({ adapter: solves, depends_on: [first.id] }));
    expect(second).toMatchObject({ status: 'blocked', waits_for: first.id });
    expect((await stack.ended(second.id)).status).toBe('done');
    const hopeless = await stack.submit(
      base({ adapter: agent(writes('src/sum.js', WRONG)), budget: { max_attempts: 1 } }),
    );
    const stuck = await stack.submit(base({ adapter: solves, depends_on: [hopeless.id] }));
    expect((await stack.ended(hopeless.id)).status).toBe('failed');
    const shown = await stack.until(
      stuck.id,
      'the reason',
      (task) => task.blocked_reason?.code === 'dependency_failed',
    );
    expect(shown.status).toBe('blocked');
  });

  it('completes without evidence as unverified, and does not deliver', async () => {
    const { id } = await stack.submit(
      base({ base_ref: 'sketch', adapter: agent(writes('sketch.js', 'a sketch\n')) }),
    );
    expect(await stack.ended(id)).toMatchObject({
      status: 'done',
      verified: false,
      flagged_unverified: true,
      branch: null,
      delivery: { state: 'withheld' },
    });
    expect(repository.branches()).not.toContain(`assay/${id}`);
    // It is counted by who follows the table: in a moment.
    await vi.waitFor(
      async () => {
        const { body } = await stack.call<{ verification_nudge: { recent_unverified: string[] } }>(
          'GET',
          '/status',
        );
        expect(body.verification_nudge.recent_unverified).toContain(id);
      },
      { timeout: 20_000 },
    );
  });

  it('fails what nobody can solve, and delivers nothing', async () => {
    const { id } = await stack.submit(base({ adapter: agent(writes('src/sum.js', WRONG)) }));
    expect(await stack.ended(id)).toMatchObject({ status: 'failed', attempt_count: 3, branch: null });
    expect(repository.branches()).not.toContain(`assay/${id}`);
  });

  it('leaves a provider alone for a while that has too many requests, and tries the same tier again', async () => {
    const seen = join(repository.folder, 'seen');
    const limited = `const seen = ${JSON.stringify(seen)}; if (!fs.existsSync(seen)) { fs.writeFileSync(seen, ''); console.error('HTTP 429'); process.exit(1); }`;
    const { id } = await stack.submit(base({ adapter: agent(`${limited} ${writes('src/sum.js', RIGHT)}`) }));
    expect(await stack.ended(id)).toMatchObject({ status: 'done', attempt_count: 2 });
    const [first, second] = await stack.attempts(id);
    expect([first?.tier, first?.failure?.class, second?.tier]).toEqual([
      second?.tier,
      'rate_limited',
      first?.tier,
    ]);
    const pause = Date.parse(second?.started_at ?? '') - Date.parse(first?.decision?.at ?? '');
    expect(pause).toBeGreaterThanOrEqual(5_000);
  });

  it('asks a person about what could not be checked, and delivers on the word of one', async () => {
    repository.commit('odd', {
      'assay.yaml':
        'version: 1\nquality_gates:\n  lint: true\n  lint_command: no-such-linter-here\n  tests: true\n  test_command: node --test\n',
    });
    const { id } = await stack.submit(base({ base_ref: 'odd', adapter: solves }));
    const held = await stack.until(id, 'a hold', (task) => task.hold !== null);
    expect(held).toMatchObject({ status: 'in_review', verdict: 'refer' });
    const [attempt] = await stack.attempts(id);
    expect(
      (
        await stack.call('POST', `/tasks/${id}/review`, {
          decision: 'approve',
          reason: 'linter is not needed',
          tree: '0'.repeat(40),
        })
      ).status,
    ).toBe(422);
    expect(
      (
        await stack.call('POST', `/tasks/${id}/review`, {
          decision: 'approve',
          reason: 'linter is not needed',
          tree: attempt?.artifact?.tree,
        })
      ).status,
    ).toBe(200);
    expect(await stack.ended(id)).toMatchObject({
      status: 'done',
      branch: `assay/${id}`,
      flagged_unverified: false,
    });
  });

  it('lets tasks with overlapping files wait for each other', async () => {
    const files = ['src/sum.js'];
    const first = await stack.submit(
      base({
        files,
        adapter: agent(`await new Promise((r) => setTimeout(r, 300)); ${writes('src/sum.js', RIGHT)}`),
      }),
    );
    await stack.until(first.id, 'an attempt', (task) => task.attempt_count > 0);
    const second = await stack.submit(base({ files, adapter: solves }));
    await stack.until(second.id, 'waiting', (task) => task.waits_for === first.id || task.status !== 'open');
    const [a, b] = [await stack.ended(first.id), await stack.ended(second.id)];
    expect([a.status, b.status]).toEqual(['done', 'done']);
    const started = (await stack.attempts(second.id))[0]?.started_at ?? '';
    expect(started >= (a.ended_at ?? '')).toBe(true);
  });

  it('retries a failed task on demand with a fresh budget', async () => {
    const flag = `${repository.folder}/now-it-works`;
    const { id } = await stack.submit(
      base({
        budget: { max_attempts: 1 },
        adapter: agent(
          `if (fs.existsSync(${JSON.stringify(flag)})) { ${writes('src/sum.js', RIGHT)} } else { ${writes('src/sum.js', WRONG)} fs.writeFileSync(${JSON.stringify(flag)}, ''); }`,
        ),
      }),
    );
    expect((await stack.ended(id)).status).toBe('failed');
    expect((await stack.call('POST', `/tasks/${id}/retry`, { reason: 'try again' })).status).toBe(200);
    expect(await stack.ended(id)).toMatchObject({ status: 'done', attempt_count: 2 });
  });
});

describe('the records', () => {
  it('hold each fact once, with the field names that readers know', async () => {
    const chains = await stack.records<AttemptChainRow>('cascade_chains');
    const gates = await stack.records<GateRow>('quality_gates');
    const nudges = await stack.records<VerificationNudgeRow>('verification_nudges');
    for (const rows of [chains, gates, nudges] as { record_id: string }[][]) {
      expect(rows.length).toBeGreaterThan(0);
      expect(new Set(rows.map((row) => row.record_id)).size).toBe(rows.length);
    }
    expect(chains.some((row) => row.attempts.some((attempt) => attempt.escalated))).toBe(true);
    expect(nudges.filter((row) => !row.verified)).toHaveLength(1);
  });

  it('say which results were remembered from another task that came to the same tree', async () => {
    const gates = await stack.records<GateRow>('quality_gates');
    const remembered = gates.filter((row) => row.cached);
    expect(remembered.length).toBeGreaterThan(0);
    for (const row of remembered)
      expect(
        gates.some(
          (other) =>
            !other.cached &&
            other.gate === row.gate &&
            other.tree === row.tree &&
            other.status === row.status &&
            other.task_id !== row.task_id,
        ),
      ).toBe(true);
  });
});

describe('a patch that changes how the repository is checked', () => {
  const ci = agent(
    `${writes('src/sum.js', RIGHT)} fs.mkdirSync('.github'); ${writes('.github/run.sh', 'lax')}`,
  );

  it('is held, and what a person approves is what is pushed', async () => {
    const { id } = await stack.submit(base({ adapter: ci }));
    const held = await stack.until(id, 'a hold', (task) => task.hold !== null);
    expect(held.verdict).toBe('refer');
    expect(held.hold?.reasons.join()).toContain('.github/run.sh (ci)');
    const tree = (await stack.attempts(id)).at(-1)?.verdict?.tree ?? '';
    const said = { decision: 'approve', reason: 'meant so', tree, base_commit: held.base_commit };
    expect((await stack.call('POST', `/tasks/${id}/review`, said)).status).toBe(200);
    const done = await stack.ended(id);
    expect(done).toMatchObject({
      status: 'done',
      review: { tree, accepted_protected_files: ['.github/run.sh'] },
      delivery: { tree, state: 'delivered' },
    });
    expect(repository.git('-C', repository.bare, 'rev-parse', `assay/${id}^{tree}`)).toBe(tree);
  });

  it('passes where the task foresees it', async () => {
    const { id } = await stack.submit(base({ adapter: ci, expected_changes: ['ci'] }));
    expect(await stack.ended(id)).toMatchObject({ status: 'done', verdict: 'pass', branch: `assay/${id}` });
  });
});
