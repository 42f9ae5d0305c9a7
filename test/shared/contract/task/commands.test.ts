import { describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../../../shared/contract/agents/tiers.ts';
import { Refusal } from '../../../../shared/contract/refusal.ts';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import { MAX_ATTEMPTS_BEFORE_RETRY } from '../../../../shared/contract/task/fit.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { startAttempt } from '../../../../shared/control/task-commands/claim.ts';
import { recordDecision } from '../../../../shared/control/task-commands/decide.ts';
import {
  authorizeDelivery,
  recordDelivered,
  recordDeliveryRefused,
} from '../../../../shared/control/task-commands/deliver.ts';
import { cancel, failByOperator, retry, review } from '../../../../shared/control/task-commands/operate.ts';
import { boxLost, expireLease, handBack, restart } from '../../../../shared/control/task-commands/recover.ts';
import { settle } from '../../../../shared/control/task-commands/settle.ts';
import {
  recordEvidence,
  recordVerdict,
  recordVerificationFailure,
} from '../../../../shared/control/task-commands/verify.ts';
import { reexamine, stopWaiting, waitForFiles } from '../../../../shared/control/task-commands/wait.ts';
import { report as handIn, keepAlive } from '../../../../shared/control/task-commands/work.ts';
import {
  artifact,
  attempt,
  evidence,
  inReview,
  later,
  NOW,
  report,
  sha1,
  task,
  verdict,
} from '../../../support/builders.ts';

const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
  return 'allowed';
};
const start = (of: Task, fields: { holder?: string } = {}) =>
  startAttempt(of, {
    route: { rule: 'medium', reason: 'complexity medium' },
    model: DEFAULT_TIER_MODELS.haiku,
    tier: 'haiku',
    effort: 'low',
    holder: fields.holder ?? 'managed',
    leaseSeconds: 120,
    agent: null,
    now: NOW,
  });
const launch = (number: number): NonNullable<Attempt['agent']> => ({
  number,
  token_sha256: 'x',
  assignment_key: 'k',
  lost: false,
  launched_at: NOW.toISOString(),
});
const handed = {
  report: { status: 'completed' as const, summary: 'done', failure_class: null, output_tail: '' },
  artifact: artifact(),
  usage: null,
  model: null,
  costUsd: null,
};

describe('claiming', () => {
  it('starts attempt 1 of an open task and counts the version up', () => {
    const { task: claimed, event } = start(task());
    expect(event).toBe('claim');
    expect(claimed).toMatchObject({ status: 'claimed', version: 2 });
    expect(claimed.attempts).toHaveLength(1);
    expect(claimed.attempts[0]).toMatchObject({
      number: 1,
      outcome: null,
      lease_until: NOW.getTime() / 1_000 + 120,
    });
  });

  it.each(['blocked', 'claimed', 'in_progress', 'done', 'failed', 'cancelled'] as const)(
    'is refused while the task is %s',
    (status) => {
      expect(refusal(() => start(task({ status })))).toBe('conflict');
    },
  );

  it('starts the next attempt of a task in review', () => {
    const { task: again, event } = start(inReview({ outcome: 'failed' }));
    expect(event).toBe('reattempt');
    expect(again.attempts.map((each) => each.number)).toEqual([1, 2]);
  });
});

describe('handing back', () => {
  const external = start(task({ runner: 'external' }), { holder: 'ann' }).task;

  it('opens an external task again without using up a retry, and says why', () => {
    const { task: open } = handBack({ ...external, retries: 3 }, 1, 'going home', NOW);
    expect(open).toMatchObject({ status: 'open', retries: 3 });
    expect(open.attempts[0]).toMatchObject({
      outcome: 'expired',
      progress: { message: 'handed back: going home' },
    });
    expect(refusal(() => handBack(open, 1, 'again', NOW))).toBe('stale_lease');
  });

  it('is not for what the platform runs, another attempt, or work that is in', () => {
    expect(refusal(() => handBack(start(task()).task, 1, 'r', NOW))).toBe('conflict');
    expect(refusal(() => handBack(external, 2, 'r', NOW))).toBe('stale_lease');
    expect(refusal(() => handBack(inReview({}, { runner: 'external' }), 1, 'r', NOW))).toBe('stale_lease');
  });
});

describe('working', () => {
  const claimed = start(task()).task;

  it('moves to in_progress with the first sign of life and extends the lease', () => {
    const { task: alive } = keepAlive(claimed, 1, 120, later(60));
    expect(alive.status).toBe('in_progress');
    expect(alive.attempts[0]?.lease_until).toBe(NOW.getTime() / 1_000 + 180);
  });

  it('refuses a heartbeat after the lease ran out, of another attempt, and after the report', () => {
    expect(refusal(() => keepAlive(claimed, 1, 120, later(121)))).toBe('stale_lease');
    expect(refusal(() => keepAlive(claimed, 2, 120, NOW))).toBe('stale_lease');
    expect(refusal(() => keepAlive(inReview(), 1, 120, NOW))).toBe('stale_lease');
  });

  it('hands in once; the same report again changes nothing, a different one is refused', () => {
    const first = handIn(claimed, 1, handed, NOW);
    expect(first?.task.status).toBe('in_review');
    expect(handIn(first?.task ?? claimed, 1, handed, later(5))).toBeNull();
    expect(
      refusal(() =>
        handIn(first?.task ?? claimed, 1, { ...handed, artifact: artifact({ tree: sha1('d') }) }, later(5)),
      ),
    ).toBe('stale_lease');
  });

  it('starts the cascade of an external task with the report', () => {
    const external = start(task({}, { runner: 'external' })).task;
    expect(external.run).toBe(0);
    expect(handIn(external, 1, handed, NOW)?.task.run).toBe(1);
  });
});

describe('leases and lost boxes', () => {
  const claimed = start(task()).task;

  it('reopens on expiry, never fails while retries are left, and fails only when they are used up', () => {
    expect(expireLease(claimed, later(119))).toBeNull();
    const reopened = expireLease(claimed, later(121));
    expect(reopened?.task).toMatchObject({ status: 'open', retries: 1 });
    expect(reopened?.task.attempts[0]?.outcome).toBe('expired');
    expect(expireLease({ ...claimed, retries: 3 }, later(121))?.task).toMatchObject({
      status: 'failed',
      failure: { code: 'lease_expired' },
    });
  });

  it('leaves a reported attempt alone', () => {
    expect(expireLease(inReview(), later(9_999))).toBeNull();
    expect(boxLost(inReview({ agent: launch(1) }), 1, 'agent', 1, 'gone', NOW)).toBeNull();
  });

  it('gives the attempt of a lost agent box back, once', () => {
    const running = { ...claimed, attempts: [attempt({ agent: launch(1) })] };
    const lost = boxLost(running, 1, 'agent', 1, 'gone', NOW);
    expect(lost?.task).toMatchObject({ status: 'open', retries: 1 });
    expect(boxLost(lost?.task ?? running, 1, 'agent', 1, 'gone', NOW)).toBeNull();
    expect(boxLost(running, 1, 'agent', 2, 'gone', NOW)).toBeNull();
  });

  it('marks a lost gates box and starts the cascade anew, without a new attempt of the agent', () => {
    const lost = boxLost(inReview({ gates: launch(1) }), 1, 'gates', 1, 'gone', NOW);
    expect(lost?.task).toMatchObject({ status: 'in_review', run: 2 });
    expect(lost?.task.attempts).toHaveLength(1);
    expect(lost?.task.attempts[0]?.gates?.lost).toBe(true);
  });

  it('restarts the cascade of what is managed and unfinished, and nothing else', () => {
    expect(restart(task(), NOW)?.task.run).toBe(2);
    expect(restart(inReview(), NOW)?.task.run).toBe(2);
    expect(restart(task({}, { runner: 'external' }), NOW)).toBeNull();
    expect(restart(task({ status: 'done' }), NOW)).toBeNull();
    expect(restart(task({ waits_for: 'T0' }), NOW)).toBeNull();
  });
});

describe('evidence and verdict', () => {
  it('takes evidence about the tree of the attempt, once, and no other', () => {
    const first = recordEvidence(inReview(), 1, evidence(), 'evidence/key', NOW);
    expect(first?.task.attempts[0]?.verification).toMatchObject({ key: 'evidence/key', tree: sha1('b') });
    expect(recordEvidence(first?.task ?? inReview(), 1, evidence(), 'evidence/key', NOW)).toBeNull();
    expect(refusal(() => recordEvidence(inReview(), 1, evidence({ tree: sha1('d') }), 'k', NOW))).toBe(
      'invalid',
    );
  });

  it('takes a verdict on the tree of the evidence only', () => {
    const seen = recordEvidence(inReview(), 1, evidence(), 'k', NOW)?.task ?? inReview();
    expect(recordVerdict(seen, 1, verdict(), NOW)?.task.attempts[0]?.verdict?.verdict).toBe('pass');
    expect(refusal(() => recordVerdict(seen, 1, verdict({ tree: sha1('d') }), NOW))).toBe('conflict');
    expect(refusal(() => recordVerdict(inReview(), 1, verdict(), NOW))).toBe('conflict');
  });

  it('keeps why there is no evidence', () => {
    const failed = recordVerificationFailure(inReview(), 1, 'patch_does_not_apply', 'hunk 3', NOW);
    expect(failed?.task.attempts[0]?.verification_failure?.failure_class).toBe('patch_does_not_apply');
  });
});

/** The work of the builders, with this tree. */
const work = (tree = 'b') => ({ base_commit: sha1('a'), tree: sha1(tree) });

describe('delivery', () => {
  const decision = {
    action: 'accept' as const,
    reason: 'verdict pass',
    next_model: null,
    next_tier: null,
    at: NOW.toISOString(),
  };
  const accepted = inReview({ verdict: verdict(), decision });

  it('is allowed for the tree that passed', () => {
    expect(authorizeDelivery(accepted, 1, work('b'), NOW)?.task.delivery).toMatchObject({
      state: 'pushing',
      tree: sha1('b'),
      branch: 'assay/T1',
    });
  });

  it.each([
    ['another tree', accepted, work('d')],
    [
      'a verdict on another base',
      inReview({ verdict: verdict({ base_commit: sha1('d') }), decision }),
      work(),
    ],
    [
      'a patch on another base',
      inReview({ artifact: artifact({ base_commit: sha1('d') }), verdict: verdict(), decision }),
      work(),
    ],
    ['a failing verdict', inReview({ verdict: verdict({ verdict: 'fail' }), decision }), work()],
    ['a verdict on another tree', inReview({ verdict: verdict({ tree: sha1('d') }), decision }), work()],
    ['no verdict', inReview({ decision }), work()],
    ['no decision', inReview({ verdict: verdict() }), work()],
    ['unverified work', inReview({ verdict: verdict({ verified: false }), decision }), work()],
    [
      'a referred task',
      inReview({ verdict: verdict({ verdict: 'refer' }), decision: { ...decision, action: 'refer' } }),
      work(),
    ],
  ])('is refused for %s', (_name, of, which) => {
    expect(refusal(() => authorizeDelivery(of, 1, which, NOW))).toBe('conflict');
  });

  it('is refused for another base by name, at every step', () => {
    const other = { ...work(), base_commit: sha1('d') };
    expect(refusal(() => authorizeDelivery(accepted, 1, other, NOW))).toBe('wrong_base');
    const pushing = authorizeDelivery(accepted, 1, work(), NOW)?.task ?? accepted;
    expect(refusal(() => recordDelivered(pushing, 1, other, sha1('e'), NOW))).toBe('wrong_base');
    expect(refusal(() => recordDeliveryRefused(pushing, 1, other, 'no', NOW))).toBe('wrong_base');
  });

  it('of unverified work needs deliver_unverified', () => {
    const asked = inReview(
      { verdict: verdict({ verified: false }), decision },
      {},
      { deliver_unverified: true },
    );
    expect(authorizeDelivery(asked, 1, work('b'), NOW)?.task.delivery?.state).toBe('pushing');
  });

  it('is reported only after leave was given, and once', () => {
    expect(refusal(() => recordDelivered(accepted, 1, work('b'), sha1('e'), NOW))).toBe('conflict');
    const pushing = authorizeDelivery(accepted, 1, work('b'), NOW)?.task ?? accepted;
    const delivered = recordDelivered(pushing, 1, work('b'), sha1('e'), NOW)?.task ?? pushing;
    expect(delivered.delivery).toMatchObject({ state: 'delivered', commit: sha1('e') });
    expect(recordDelivered(delivered, 1, work('b'), sha1('e'), NOW)).toBeNull();
    expect(recordDeliveryRefused(delivered, 1, work('b'), 'late', NOW)).toBeNull();
  });

  it('settles as done only once delivered, as failed when the push was refused', () => {
    expect(settle(accepted, NOW)).toBeNull();
    const pushing = authorizeDelivery(accepted, 1, work('b'), NOW)?.task ?? accepted;
    const delivered = recordDelivered(pushing, 1, work('b'), sha1('e'), NOW)?.task ?? pushing;
    expect(settle(delivered, NOW)?.task).toMatchObject({
      status: 'done',
      verified: true,
      verification_count: 2,
      flagged_unverified: false,
    });
    expect(
      settle(recordDeliveryRefused(pushing, 1, work('b'), 'branch exists', NOW)?.task ?? pushing, NOW)?.task,
    ).toMatchObject({ status: 'failed', failure: { code: 'delivery_refused' } });
  });

  it('withholds unverified work and flags it', () => {
    const unverified = inReview({
      verdict: verdict({ verified: false, tests_run: false, quality_gates_run: false }),
      decision,
    });
    expect(settle(unverified, NOW)?.task).toMatchObject({
      status: 'done',
      verified: false,
      flagged_unverified: true,
      verification_count: 0,
      delivery: { state: 'withheld', branch: null },
    });
  });
});

describe('decisions', () => {
  const decided = (
    action: 'escalate' | 'retry' | 'refer' | 'give_up',
    of: Task = inReview({ verdict: verdict({ verdict: 'fail' }) }),
  ) => recordDecision(of, 1, { action, reason: 'because', next_model: null, next_tier: null }, NOW);

  it('end the attempt, but for accept and refer', () => {
    expect(decided('escalate')?.task.attempts[0]?.outcome).toBe('failed');
    expect(decided('refer')?.task).toMatchObject({
      hold: { reasons: ['because'] },
      attempts: [{ outcome: null }],
    });
  });

  it('reopen an external task for rework', () => {
    const external = inReview({ verdict: verdict({ verdict: 'fail' }) }, {}, { runner: 'external' });
    expect(decided('retry', external)?.task.status).toBe('open');
  });
});

describe('operators', () => {
  it.each(['pushing', 'delivered'] as const)('let no task end by a word while its work is %s', (state) => {
    const delivery = {
      state,
      base_commit: sha1('a'),
      tree: sha1('b'),
      branch: 'assay/T1',
      commit: null,
      reason: null,
      at: NOW.toISOString(),
    };
    const leaving = inReview({}, { delivery });
    expect(refusal(() => failByOperator(leaving, 'stuck', 'ann', NOW))).toBe('conflict');
    expect(refusal(() => cancel(leaving, 'not needed', 'ann', NOW))).toBe('conflict');
  });

  it('cancel what is not finished; a second cancel changes nothing; a delivery under way is too late', () => {
    const cancelled = cancel(task(), 'not needed', 'ann', NOW);
    expect(cancelled?.task).toMatchObject({
      status: 'cancelled',
      failure: { code: 'cancelled', message: 'ann: not needed' },
    });
    expect(cancel(cancelled?.task ?? task(), 'again', 'ann', NOW)).toBeNull();
    expect(refusal(() => cancel(task({ status: 'done' }), 'x', 'ann', NOW))).toBe('conflict');
    expect(
      refusal(() =>
        cancel(
          inReview(
            {},
            {
              delivery: {
                state: 'pushing',
                base_commit: sha1('a'),
                tree: sha1('b'),
                branch: 'assay/T1',
                commit: null,
                reason: null,
                at: NOW.toISOString(),
              },
            },
          ),
          'x',
          'ann',
          NOW,
        ),
      ),
    ).toBe('conflict');
  });

  it('retry a failed task with a fresh budget and the history kept', () => {
    const failed = failByOperator(start(task()).task, 'stuck', 'ann', NOW)?.task ?? task();
    expect(failed.status).toBe('failed');
    const again = retry(failed, later(60)).task;
    expect(again).toMatchObject({
      status: 'open',
      budget_from: 2,
      retries: 0,
      failure: null,
      run: 2,
      expires_at: null,
    });
    expect(again.attempts).toHaveLength(1);
    expect(refusal(() => retry(task(), NOW))).toBe('conflict');
  });

  it('names the files that it lets out, and how many more there are', () => {
    const files = Array.from({ length: 33 }, (_, index) => ({
      path: `ci-${index}.yml`,
      change: 'added' as const,
      class: 'ci' as const,
      reason: 'r',
      used: 'base' as const,
      allowed_by: null,
    }));
    const reviewed = (protected_files: typeof files) => {
      const changed = recordEvidence(inReview(), 1, evidence({ protected_files }), 'key', NOW)?.task;
      const held = { ...inReview(), ...changed, hold: { reasons: [], since: NOW.toISOString() } };
      return review(held, 'approve', 'r', 'ann', { tree: sha1('b') }, NOW)?.task.review;
    };
    expect(reviewed(files)).toMatchObject({ accepted_files: { length: 30 }, accepted_more: 3 });
    expect(reviewed(files.slice(0, 30))).not.toHaveProperty('accepted_more');
  });

  it('review a held task on the tree they looked at', () => {
    const held = inReview({}, { hold: { reasons: ['inert'], since: NOW.toISOString() } });
    expect(review(held, 'approve', 'looks right', 'ann', work('b'), NOW)?.task).toMatchObject({
      hold: null,
      run: 2,
      review: { by: 'ann', tree: sha1('b') },
    });
    expect(refusal(() => review(held, 'approve', 'x', 'ann', work('d'), NOW))).toBe('invalid');
    expect(refusal(() => review(inReview(), 'approve', 'x', 'ann', work('b'), NOW))).toBe('conflict');
  });
});

describe('the base', () => {
  it('is what all that is said of a task must be about', () => {
    const other = sha1('d');
    const held = inReview({}, { hold: { reasons: ['inert'], since: NOW.toISOString() } });
    expect(
      refusal(() => review(held, 'approve', 'x', 'ann', { tree: sha1('b'), base_commit: other }, NOW)),
    ).toBe('wrong_base');
    expect(refusal(() => recordEvidence(inReview(), 1, evidence({ base_commit: other }), 'k', NOW))).toBe(
      'wrong_base',
    );
    const seen = recordEvidence(inReview(), 1, evidence(), 'k', NOW)?.task ?? task();
    expect(refusal(() => recordVerdict(seen, 1, verdict({ base_commit: other }), NOW))).toBe('wrong_base');
  });

  it('must be known before anybody gets the task', () => {
    expect(refusal(() => start(task({ base_commit: null })))).toBe('base_unresolved');
  });

  it('is resolved anew with a new round, unless the task names a commit', () => {
    const failed = { status: 'failed' as const };
    expect(retry(task(failed, { base_ref: 'main' }), NOW).task.base_commit).toBeNull();
    expect(retry(task(failed, { base_ref: sha1('c') }), NOW).task.base_commit).toBe(sha1('c'));
  });

  it('of an outside agent gets an execution of its own as long as it is not known', () => {
    const known = task({ status: 'failed', run: 3 }, { runner: 'external' });
    expect(retry(known, NOW).task.run).toBe(3);
    const unknown = task({ status: 'failed', run: 3 }, { runner: 'external', base_ref: 'main' });
    expect(retry(unknown, NOW).task.run).toBe(4);
    expect(restart(task({ base_commit: null, run: 1 }, { runner: 'external' }), NOW)?.task.run).toBe(2);
    expect(restart(task({}, { runner: 'external' }), NOW)).toBeNull();
  });
});

describe('waiting', () => {
  const deps = (status: Task['status']) => new Map([['D', { id: 'D', status }]]);
  const blocked = task(
    {
      status: 'blocked',
      waits_for: 'D',
      run: 0,
      blocked_reason: { code: 'dependency_pending', task_id: 'D', message: 'waits for D' },
    },
    { depends_on: ['D'] },
  );

  it('opens when all dependencies are done, and starts the cascade', () => {
    expect(reexamine(blocked, deps('done'), NOW)?.task).toMatchObject({
      status: 'open',
      run: 1,
      waits_for: null,
      blocked_reason: null,
    });
  });

  it('shows a failed dependency as the reason, and recovers when it is retried', () => {
    const shown = reexamine(blocked, deps('failed'), NOW)?.task ?? blocked;
    expect(shown).toMatchObject({
      status: 'blocked',
      blocked_reason: { code: 'dependency_failed', task_id: 'D' },
    });
    expect(reexamine(shown, deps('open'), NOW)?.task.blocked_reason?.code).toBe('dependency_pending');
    expect(reexamine(blocked, deps('open'), NOW)).toBeNull();
  });

  it('parks a task for held files and starts it again', () => {
    const parked = waitForFiles(task(), { holder: 'H', file: 'src/a.ts', held: 'src' }, NOW)?.task ?? task();
    expect(parked).toMatchObject({ status: 'open', waits_for: 'H', blocked_reason: { code: 'files_held' } });
    expect(stopWaiting(parked, NOW)?.task).toMatchObject({ waits_for: null, run: 2 });
    expect(stopWaiting(task(), NOW)).toBeNull();
  });
});

it('settles an agent that never produced anything as failed with its own reason', () => {
  const decision = {
    action: 'give_up' as const,
    reason: 'explicit failure; opus is the last of the cascade',
    next_model: null,
    next_tier: null,
    at: NOW.toISOString(),
  };
  const of = inReview({
    report: report({ status: 'failed', summary: 'cannot be done', failure_class: 'agent_failed' }),
    artifact: null,
    decision,
    outcome: 'failed',
  });
  expect(settle(of, NOW)?.task).toMatchObject({ status: 'failed', failure: { code: 'agent_failed' } });
  expect(settle(of, NOW)?.task.failure?.message).toContain('cannot be done');
});

it('refuses another round to a task that has no room for its attempts, and says what to do', () => {
  const of = task({
    status: 'failed',
    attempts: Array.from({ length: MAX_ATTEMPTS_BEFORE_RETRY }, (_, index) => attempt({ number: index + 1 })),
  });
  expect(() => retry(of, NOW)).toThrow(/no room for another round; submit it again/);
  expect(retry({ ...of, attempts: of.attempts.slice(1) }, NOW).task.status).toBe('open');
});
