import { describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../../../shared/contract/agents/tiers.ts';
import { Refusal } from '../../../../shared/contract/refusal.ts';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import { MAX_ATTEMPTS_BEFORE_RETRY } from '../../../../shared/contract/task/shrink-task.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import {
  authorizeDelivery,
  recordDeliveryRefusal,
  recordPushedDelivery,
} from '../../../../shared/control/task-commands/deliver.ts';
import { finishTaskAfterCascade } from '../../../../shared/control/task-commands/finish-task.ts';
import { findLaunchGiveUpReason } from '../../../../shared/control/task-commands/launch-limits.ts';
import {
  cancelTask,
  failTaskByOperator,
  reviewHeldTask,
  startRetryRound,
} from '../../../../shared/control/task-commands/operator-commands.ts';
import {
  parkTaskForFiles,
  recheckTaskDependencies,
  resumeParkedTask,
} from '../../../../shared/control/task-commands/park-task.ts';
import { recordCascadeDecision } from '../../../../shared/control/task-commands/record-cascade-decision.ts';
import {
  recordEvidence,
  recordVerdict,
  recordVerificationFailure,
} from '../../../../shared/control/task-commands/record-verification.ts';
import {
  expireLease,
  recordContainerLost,
  releaseClaimedTask,
  restartCascade,
} from '../../../../shared/control/task-commands/recover.ts';
import {
  recordAgentReport as handIn,
  renewLease,
} from '../../../../shared/control/task-commands/report-work.ts';
import { startAttempt } from '../../../../shared/control/task-commands/start-attempt.ts';
import {
  addSeconds,
  artifact,
  attempt,
  evidence,
  FIXED_NOW,
  fakeSha1,
  report,
  task,
  taskInReview,
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
    leaseHolder: fields.holder ?? 'managed',
    leaseSeconds: 120,
    agentLaunch: null,
    now: FIXED_NOW,
  });
const launch = (number: number): NonNullable<Attempt['agent']> => ({
  number,
  token_sha256: 'x',
  model_token_sha256: null,
  assignment_key: 'k',
  lost: false,
  launched_at: FIXED_NOW.toISOString(),
});
const handed = {
  report: {
    status: 'completed' as const,
    summary: 'done',
    failure_code: null,
    output_tail: '',
    retry_after_s: null,
  },
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
      lease_until: FIXED_NOW.getTime() / 1_000 + 120,
    });
  });

  it.each(['blocked', 'claimed', 'in_progress', 'done', 'failed', 'cancelled'] as const)(
    'is refused while the task is %s',
    (status) => {
      expect(refusal(() => start(task({ status })))).toBe('conflict');
    },
  );

  it('starts the next attempt of a task in review', () => {
    const { task: again, event } = start(taskInReview({ outcome: 'failed' }));
    expect(event).toBe('reattempt');
    expect(again.attempts.map((each) => each.number)).toEqual([1, 2]);
  });
});

describe('handing back', () => {
  const external = start(task({ runner: 'external' }), { holder: 'ann' }).task;

  it('opens an external task again without using up a retry, and says why', () => {
    const { task: open } = releaseClaimedTask({ ...external, retries: 3 }, 1, 'going home', FIXED_NOW);
    expect(open).toMatchObject({ status: 'open', retries: 3 });
    expect(open.attempts[0]).toMatchObject({
      outcome: 'expired',
      progress: { message: 'handed back: going home' },
    });
    expect(refusal(() => releaseClaimedTask(open, 1, 'again', FIXED_NOW))).toBe('stale_lease');
  });

  it('is not for what the platform runs, another attempt, or work that is in', () => {
    expect(refusal(() => releaseClaimedTask(start(task()).task, 1, 'r', FIXED_NOW))).toBe('conflict');
    expect(refusal(() => releaseClaimedTask(external, 2, 'r', FIXED_NOW))).toBe('stale_lease');
    expect(
      refusal(() => releaseClaimedTask(taskInReview({}, { runner: 'external' }), 1, 'r', FIXED_NOW)),
    ).toBe('stale_lease');
  });
});

describe('working', () => {
  const claimed = start(task()).task;

  it('moves to in_progress with the first sign of life and extends the lease', () => {
    const { task: alive } = renewLease(claimed, 1, 120, addSeconds(60));
    expect(alive.status).toBe('in_progress');
    expect(alive.attempts[0]?.lease_until).toBe(FIXED_NOW.getTime() / 1_000 + 180);
  });

  it('refuses a heartbeat after the lease ran out, of another attempt, and after the report', () => {
    expect(refusal(() => renewLease(claimed, 1, 120, addSeconds(121)))).toBe('stale_lease');
    expect(refusal(() => renewLease(claimed, 2, 120, FIXED_NOW))).toBe('stale_lease');
    expect(refusal(() => renewLease(taskInReview(), 1, 120, FIXED_NOW))).toBe('stale_lease');
  });

  it('hands in once; the same report again changes nothing, a different one is refused', () => {
    const first = handIn(claimed, 1, handed, FIXED_NOW);
    expect(first?.task.status).toBe('in_review');
    expect(handIn(first?.task ?? claimed, 1, handed, addSeconds(5))).toBeNull();
    expect(
      refusal(() =>
        handIn(
          first?.task ?? claimed,
          1,
          { ...handed, artifact: artifact({ tree: fakeSha1('d') }) },
          addSeconds(5),
        ),
      ),
    ).toBe('stale_lease');
  });

  it('starts the cascade of an external task with the report', () => {
    const external = start(task({}, { runner: 'external' })).task;
    expect(external.run).toBe(0);
    expect(handIn(external, 1, handed, FIXED_NOW)?.task.run).toBe(1);
  });
});

describe('leases and lost boxes', () => {
  const claimed = start(task()).task;

  it('reopens on expiry, never fails while retries are left, and fails only when they are used up', () => {
    expect(expireLease(claimed, addSeconds(119))).toBeNull();
    const reopened = expireLease(claimed, addSeconds(121));
    expect(reopened?.task).toMatchObject({ status: 'open', retries: 1 });
    expect(reopened?.task.attempts[0]?.outcome).toBe('expired');
    expect(expireLease({ ...claimed, retries: 3 }, addSeconds(121))?.task).toMatchObject({
      status: 'failed',
      failure: { code: 'lease_expired' },
    });
  });

  it('leaves a reported attempt alone', () => {
    expect(expireLease(taskInReview(), addSeconds(9_999))).toBeNull();
    expect(
      recordContainerLost(taskInReview({ agent: launch(1) }), 1, 'agent', 1, 'gone', FIXED_NOW),
    ).toBeNull();
  });

  it('gives the attempt of a lost agent box back, once', () => {
    const running = { ...claimed, attempts: [attempt({ agent: launch(1) })] };
    const lost = recordContainerLost(running, 1, 'agent', 1, 'gone', FIXED_NOW);
    expect(lost?.task).toMatchObject({ status: 'open', retries: 1 });
    expect(recordContainerLost(lost?.task ?? running, 1, 'agent', 1, 'gone', FIXED_NOW)).toBeNull();
    expect(recordContainerLost(running, 1, 'agent', 2, 'gone', FIXED_NOW)).toBeNull();
  });

  it('marks a lost gates box and starts the cascade anew, without a new attempt of the agent', () => {
    const lost = recordContainerLost(taskInReview({ gates: launch(1) }), 1, 'gates', 1, 'gone', FIXED_NOW);
    expect(lost?.task).toMatchObject({ status: 'in_review', run: 2 });
    expect(lost?.task.attempts).toHaveLength(1);
    expect(lost?.task.attempts[0]?.gates?.lost).toBe(true);
  });

  it('restarts the cascade of what is managed and unfinished, and nothing else', () => {
    expect(restartCascade(task(), FIXED_NOW)?.task.run).toBe(2);
    expect(restartCascade(taskInReview(), FIXED_NOW)?.task.run).toBe(2);
    expect(restartCascade(task({}, { runner: 'external' }), FIXED_NOW)).toBeNull();
    expect(restartCascade(task({ status: 'done' }), FIXED_NOW)).toBeNull();
    expect(restartCascade(task({ waits_for: 'T0' }), FIXED_NOW)).toBeNull();
  });
});

describe('evidence and verdict', () => {
  it('takes evidence about the tree of the attempt, once, and no other', () => {
    const first = recordEvidence(taskInReview(), 1, evidence(), 'evidence/key', FIXED_NOW);
    expect(first?.task.attempts[0]?.verification).toMatchObject({ key: 'evidence/key', tree: fakeSha1('b') });
    expect(
      recordEvidence(first?.task ?? taskInReview(), 1, evidence(), 'evidence/key', FIXED_NOW),
    ).toBeNull();
    expect(
      refusal(() => recordEvidence(taskInReview(), 1, evidence({ tree: fakeSha1('d') }), 'k', FIXED_NOW)),
    ).toBe('invalid');
  });

  it('takes a verdict on the tree of the evidence only', () => {
    const seen = recordEvidence(taskInReview(), 1, evidence(), 'k', FIXED_NOW)?.task ?? taskInReview();
    expect(recordVerdict(seen, 1, verdict(), FIXED_NOW)?.task.attempts[0]?.verdict?.verdict).toBe('pass');
    expect(refusal(() => recordVerdict(seen, 1, verdict({ tree: fakeSha1('d') }), FIXED_NOW))).toBe(
      'conflict',
    );
    expect(refusal(() => recordVerdict(taskInReview(), 1, verdict(), FIXED_NOW))).toBe('conflict');
  });

  it('keeps why there is no evidence', () => {
    const failed = recordVerificationFailure(taskInReview(), 1, 'patch_does_not_apply', 'hunk 3', FIXED_NOW);
    expect(failed?.task.attempts[0]?.verification_failure?.failure_code).toBe('patch_does_not_apply');
  });
});

/** The work of the builders, with this tree. */
const work = (tree = 'b') => ({ base_commit: fakeSha1('a'), tree: fakeSha1(tree) });

describe('delivery', () => {
  const decision = {
    action: 'accept' as const,
    reason: 'verdict pass',
    next_model: null,
    next_tier: null,
    at: FIXED_NOW.toISOString(),
  };
  const accepted = taskInReview({ verdict: verdict(), decision });

  it('is allowed for the tree that passed', () => {
    expect(authorizeDelivery(accepted, 1, work('b'), FIXED_NOW)?.task.delivery).toMatchObject({
      state: 'pushing',
      tree: fakeSha1('b'),
      branch: 'assay/T1',
    });
  });

  it.each([
    ['another tree', accepted, work('d')],
    [
      'a verdict on another base',
      taskInReview({ verdict: verdict({ base_commit: fakeSha1('d') }), decision }),
      work(),
    ],
    [
      'a patch on another base',
      taskInReview({ artifact: artifact({ base_commit: fakeSha1('d') }), verdict: verdict(), decision }),
      work(),
    ],
    ['a failing verdict', taskInReview({ verdict: verdict({ verdict: 'fail' }), decision }), work()],
    [
      'a verdict on another tree',
      taskInReview({ verdict: verdict({ tree: fakeSha1('d') }), decision }),
      work(),
    ],
    ['no verdict', taskInReview({ decision }), work()],
    ['no decision', taskInReview({ verdict: verdict() }), work()],
    ['unverified work', taskInReview({ verdict: verdict({ verified: false }), decision }), work()],
    [
      'a referred task',
      taskInReview({ verdict: verdict({ verdict: 'refer' }), decision: { ...decision, action: 'refer' } }),
      work(),
    ],
  ])('is refused for %s', (_name, of, which) => {
    expect(refusal(() => authorizeDelivery(of, 1, which, FIXED_NOW))).toBe('conflict');
  });

  it('is refused for another base by name, at every step', () => {
    const other = { ...work(), base_commit: fakeSha1('d') };
    expect(refusal(() => authorizeDelivery(accepted, 1, other, FIXED_NOW))).toBe('wrong_base');
    const pushing = authorizeDelivery(accepted, 1, work(), FIXED_NOW)?.task ?? accepted;
    expect(refusal(() => recordPushedDelivery(pushing, 1, other, fakeSha1('e'), FIXED_NOW))).toBe(
      'wrong_base',
    );
    expect(refusal(() => recordDeliveryRefusal(pushing, 1, other, 'no', FIXED_NOW))).toBe('wrong_base');
  });

  it('of unverified work needs deliver_unverified', () => {
    const asked = taskInReview(
      { verdict: verdict({ verified: false }), decision },
      {},
      { deliver_unverified: true },
    );
    expect(authorizeDelivery(asked, 1, work('b'), FIXED_NOW)?.task.delivery?.state).toBe('pushing');
  });

  it('is reported only after leave was given, and once', () => {
    expect(refusal(() => recordPushedDelivery(accepted, 1, work('b'), fakeSha1('e'), FIXED_NOW))).toBe(
      'conflict',
    );
    const pushing = authorizeDelivery(accepted, 1, work('b'), FIXED_NOW)?.task ?? accepted;
    const delivered = recordPushedDelivery(pushing, 1, work('b'), fakeSha1('e'), FIXED_NOW)?.task ?? pushing;
    expect(delivered.delivery).toMatchObject({ state: 'delivered', commit: fakeSha1('e') });
    expect(recordPushedDelivery(delivered, 1, work('b'), fakeSha1('e'), FIXED_NOW)).toBeNull();
    expect(recordDeliveryRefusal(delivered, 1, work('b'), 'late', FIXED_NOW)).toBeNull();
  });

  const delivering = (max_retries: number): Task => ({
    ...accepted,
    max_retries,
    attempts: accepted.attempts.map((each) => ({ ...each, deliver: launch(1) })),
  });

  it.each([0, 1, 3, 7])(
    'that is lost is launched again, with back-off, for each of %i retries',
    (retries) => {
      let present = delivering(retries);
      for (let lost = 1; lost <= retries + 1; lost++) {
        const after = recordContainerLost(present, 1, 'deliver', lost, 'gone', FIXED_NOW)?.task ?? present;
        const deliver = after.attempts[0]?.deliver;
        expect(after).toMatchObject({ status: 'in_review', retries: Math.min(lost, retries) });
        expect(findLaunchGiveUpReason(deliver, 'deliver')).toBe(lost > retries ? 'container_lost' : null);
        if (lost <= retries)
          expect(deliver?.launched_at).toBe(addSeconds(Math.min(120, 2 ** lost)).toISOString());
        expect(after.attempts[0]?.verdict).toEqual(accepted.attempts[0]?.verdict);
        present = {
          ...after,
          attempts: after.attempts.map((each) => ({ ...each, deliver: launch(lost + 1) })),
        };
      }
    },
  );

  it('settles as done only once delivered, as failed when the push was refused', () => {
    expect(finishTaskAfterCascade(accepted, FIXED_NOW)).toBeNull();
    const pushing = authorizeDelivery(accepted, 1, work('b'), FIXED_NOW)?.task ?? accepted;
    const delivered = recordPushedDelivery(pushing, 1, work('b'), fakeSha1('e'), FIXED_NOW)?.task ?? pushing;
    expect(finishTaskAfterCascade(delivered, FIXED_NOW)?.task).toMatchObject({
      status: 'done',
      verified: true,
      verification_count: 2,
      flagged_unverified: false,
    });
    expect(
      finishTaskAfterCascade(
        recordDeliveryRefusal(pushing, 1, work('b'), 'branch exists', FIXED_NOW)?.task ?? pushing,
        FIXED_NOW,
      )?.task,
    ).toMatchObject({ status: 'failed', failure: { code: 'delivery_refused' } });
  });

  it('withholds unverified work and flags it', () => {
    const unverified = taskInReview({
      verdict: verdict({ verified: false, tests_run: false, quality_gates_run: false }),
      decision,
    });
    expect(finishTaskAfterCascade(unverified, FIXED_NOW)?.task).toMatchObject({
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
    of: Task = taskInReview({ verdict: verdict({ verdict: 'fail' }) }),
  ) =>
    recordCascadeDecision(of, 1, { action, reason: 'because', next_model: null, next_tier: null }, FIXED_NOW);

  it('end the attempt, but for accept and refer', () => {
    expect(decided('escalate')?.task.attempts[0]?.outcome).toBe('failed');
    expect(decided('refer')?.task).toMatchObject({
      hold: { reasons: ['because'] },
      attempts: [{ outcome: null }],
    });
  });

  it('reopen an external task for rework', () => {
    const external = taskInReview({ verdict: verdict({ verdict: 'fail' }) }, {}, { runner: 'external' });
    expect(decided('retry', external)?.task.status).toBe('open');
  });
});

describe('operators', () => {
  it.each(['pushing', 'delivered'] as const)('let no task end by a word while its work is %s', (state) => {
    const delivery = {
      state,
      base_commit: fakeSha1('a'),
      tree: fakeSha1('b'),
      branch: 'assay/T1',
      commit: null,
      reason: null,
      at: FIXED_NOW.toISOString(),
    };
    const leaving = taskInReview({}, { delivery });
    expect(refusal(() => failTaskByOperator(leaving, 'stuck', 'ann', FIXED_NOW))).toBe('conflict');
    expect(refusal(() => cancelTask(leaving, 'not needed', 'ann', FIXED_NOW))).toBe('conflict');
  });

  it('cancel what is not finished; a second cancel changes nothing; a delivery under way is too late', () => {
    const cancelled = cancelTask(task(), 'not needed', 'ann', FIXED_NOW);
    expect(cancelled?.task).toMatchObject({
      status: 'cancelled',
      failure: { code: 'cancelled', message: 'ann: not needed' },
    });
    expect(cancelTask(cancelled?.task ?? task(), 'again', 'ann', FIXED_NOW)).toBeNull();
    expect(refusal(() => cancelTask(task({ status: 'done' }), 'x', 'ann', FIXED_NOW))).toBe('conflict');
    expect(
      refusal(() =>
        cancelTask(
          taskInReview(
            {},
            {
              delivery: {
                state: 'pushing',
                base_commit: fakeSha1('a'),
                tree: fakeSha1('b'),
                branch: 'assay/T1',
                commit: null,
                reason: null,
                at: FIXED_NOW.toISOString(),
              },
            },
          ),
          'x',
          'ann',
          FIXED_NOW,
        ),
      ),
    ).toBe('conflict');
  });

  it('retry a failed task with a fresh budget and the history kept', () => {
    const failed = failTaskByOperator(start(task()).task, 'stuck', 'ann', FIXED_NOW)?.task ?? task();
    expect(failed.status).toBe('failed');
    const again = startRetryRound(failed, addSeconds(60)).task;
    expect(again).toMatchObject({
      status: 'open',
      first_budgeted_attempt: 2,
      retries: 0,
      failure: null,
      run: 2,
      expires_at: null,
    });
    expect(again.attempts).toHaveLength(1);
    expect(refusal(() => startRetryRound(task(), FIXED_NOW))).toBe('conflict');
  });

  it('names the files that it lets out, and how many more there are', () => {
    const files = Array.from({ length: 33 }, (_, index) => ({
      path: `ci-${index}.yml`,
      change: 'added' as const,
      kind: 'ci' as const,
      reason: 'r',
      checked_version: 'base' as const,
      allowed_by: null,
      review_reason: 'r',
    }));
    const reviewed = (protected_files: typeof files) => {
      const changed = recordEvidence(
        taskInReview(),
        1,
        evidence({ protected_files }),
        'key',
        FIXED_NOW,
      )?.task;
      const held = { ...taskInReview(), ...changed, hold: { reasons: [], since: FIXED_NOW.toISOString() } };
      return reviewHeldTask(held, 'approve', 'r', 'ann', { tree: fakeSha1('b') }, FIXED_NOW)?.task.review;
    };
    expect(reviewed(files)).toMatchObject({
      accepted_protected_files: { length: 30 },
      accepted_protected_files_omitted: 3,
    });
    expect(reviewed(files.slice(0, 30))).not.toHaveProperty('accepted_protected_files_omitted');
  });

  it('review a held task on the tree they looked at', () => {
    const held = taskInReview({}, { hold: { reasons: ['could_not_run'], since: FIXED_NOW.toISOString() } });
    expect(reviewHeldTask(held, 'approve', 'looks right', 'ann', work('b'), FIXED_NOW)?.task).toMatchObject({
      hold: null,
      run: 2,
      review: { by: 'ann', tree: fakeSha1('b') },
    });
    expect(refusal(() => reviewHeldTask(held, 'approve', 'x', 'ann', work('d'), FIXED_NOW))).toBe('invalid');
    expect(refusal(() => reviewHeldTask(taskInReview(), 'approve', 'x', 'ann', work('b'), FIXED_NOW))).toBe(
      'conflict',
    );
  });
});

describe('the base', () => {
  it('is what all that is said of a task must be about', () => {
    const other = fakeSha1('d');
    const held = taskInReview({}, { hold: { reasons: ['could_not_run'], since: FIXED_NOW.toISOString() } });
    expect(
      refusal(() =>
        reviewHeldTask(held, 'approve', 'x', 'ann', { tree: fakeSha1('b'), base_commit: other }, FIXED_NOW),
      ),
    ).toBe('wrong_base');
    expect(
      refusal(() => recordEvidence(taskInReview(), 1, evidence({ base_commit: other }), 'k', FIXED_NOW)),
    ).toBe('wrong_base');
    const seen = recordEvidence(taskInReview(), 1, evidence(), 'k', FIXED_NOW)?.task ?? task();
    expect(refusal(() => recordVerdict(seen, 1, verdict({ base_commit: other }), FIXED_NOW))).toBe(
      'wrong_base',
    );
  });

  it('must be known before anybody gets the task', () => {
    expect(refusal(() => start(task({ base_commit: null })))).toBe('base_unresolved');
  });

  it('is resolved anew with a new round, unless the task names a commit', () => {
    const failed = { status: 'failed' as const };
    expect(startRetryRound(task(failed, { base_ref: 'main' }), FIXED_NOW).task.base_commit).toBeNull();
    expect(startRetryRound(task(failed, { base_ref: fakeSha1('c') }), FIXED_NOW).task.base_commit).toBe(
      fakeSha1('c'),
    );
  });

  it('of an outside agent gets an execution of its own as long as it is not known', () => {
    const known = task({ status: 'failed', run: 3 }, { runner: 'external' });
    expect(startRetryRound(known, FIXED_NOW).task.run).toBe(3);
    const unknown = task({ status: 'failed', run: 3 }, { runner: 'external', base_ref: 'main' });
    expect(startRetryRound(unknown, FIXED_NOW).task.run).toBe(4);
    expect(
      restartCascade(task({ base_commit: null, run: 1 }, { runner: 'external' }), FIXED_NOW)?.task.run,
    ).toBe(2);
    expect(restartCascade(task({}, { runner: 'external' }), FIXED_NOW)).toBeNull();
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
    expect(recheckTaskDependencies(blocked, deps('done'), FIXED_NOW)?.task).toMatchObject({
      status: 'open',
      run: 1,
      waits_for: null,
      blocked_reason: null,
    });
  });

  it('shows a failed dependency as the reason, and recovers when it is retried', () => {
    const shown = recheckTaskDependencies(blocked, deps('failed'), FIXED_NOW)?.task ?? blocked;
    expect(shown).toMatchObject({
      status: 'blocked',
      blocked_reason: { code: 'dependency_failed', task_id: 'D' },
    });
    expect(recheckTaskDependencies(shown, deps('open'), FIXED_NOW)?.task.blocked_reason?.code).toBe(
      'dependency_pending',
    );
    expect(recheckTaskDependencies(blocked, deps('open'), FIXED_NOW)).toBeNull();
  });

  it('parks a task for held files and starts it again', () => {
    const parked =
      parkTaskForFiles(task(), { holder: 'H', wantedPath: 'src/a.ts', lockedPath: 'src' }, FIXED_NOW)?.task ??
      task();
    expect(parked).toMatchObject({
      status: 'open',
      waits_for: 'H',
      blocked_reason: { code: 'files_locked' },
    });
    expect(resumeParkedTask(parked, FIXED_NOW)?.task).toMatchObject({ waits_for: null, run: 2 });
    expect(resumeParkedTask(task(), FIXED_NOW)).toBeNull();
  });
});

it('settles an agent that never produced anything as failed with its own reason', () => {
  const decision = {
    action: 'give_up' as const,
    reason: 'explicit failure; opus is the last of the cascade',
    next_model: null,
    next_tier: null,
    at: FIXED_NOW.toISOString(),
  };
  const of = taskInReview({
    report: report({ status: 'failed', summary: 'cannot be done', failure_code: 'agent_failed' }),
    artifact: null,
    decision,
    outcome: 'failed',
  });
  expect(finishTaskAfterCascade(of, FIXED_NOW)?.task).toMatchObject({
    status: 'failed',
    failure: { code: 'agent_failed' },
  });
  expect(finishTaskAfterCascade(of, FIXED_NOW)?.task.failure?.message).toContain('cannot be done');
});

it('refuses another round to a task that has no room for its attempts, and says what to do', () => {
  const of = task({
    status: 'failed',
    attempts: Array.from({ length: MAX_ATTEMPTS_BEFORE_RETRY }, (_, index) => attempt({ number: index + 1 })),
  });
  expect(() => startRetryRound(of, FIXED_NOW)).toThrow(/no room for another round; submit it again/);
  expect(startRetryRound({ ...of, attempts: of.attempts.slice(1) }, FIXED_NOW).task.status).toBe('open');
});
