import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPendingApproval } from '../../../../shared/contract/approval/schema.ts';
import { Refusal } from '../../../../shared/contract/refusal.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { determineLaunchTokenAccess } from '../../../../shared/contract/task/token-access.ts';
import { DEFAULT_APPROVAL_SETTINGS } from '../../../../shared/control/approvals/approval-settings.ts';
import type { ApprovalTimeoutPolicy } from '../../../../shared/control/approvals/timeout-policy.ts';
import { buildPromptParts } from '../../../../shared/control/cascade/agent-prompt.ts';
import {
  type ApprovalDecision,
  type ApprovalRequestInput,
  applyApprovalDeadline,
  decideApproval,
  findRepeatedApprovalRequest,
  recordApprovalRequest,
} from '../../../../shared/control/task-commands/approval-request.ts';
import { determineCascadeStage } from '../../../../shared/control/task-commands/cascade-stage.ts';
import { computeTaskDeadline } from '../../../../shared/control/task-commands/deadline.ts';
import { shouldStartCascadeExecution } from '../../../../shared/control/task-commands/execution-start.ts';
import {
  failTaskByOperator,
  startRetryRound,
} from '../../../../shared/control/task-commands/operator-commands.ts';
import { expireLease } from '../../../../shared/control/task-commands/recover.ts';
import type { TaskChange } from '../../../../shared/control/task-commands/task-change.ts';
import { addSeconds, attempt, FIXED_NOW, fakeSha1, launch, task } from '../../../support/builders.ts';

const running = (fields: Partial<Task> = {}): Task =>
  task({
    status: 'in_progress',
    run: 1,
    attempts: [attempt({ agent: launch() })],
    ...fields,
  });
const outside = (): Task => ({
  ...running({ runner: 'external', attempts: [attempt({ lease_holder: 'worker', agent: launch() })] }),
});
const work = { tree: fakeSha1('b'), patch_key: 'k', patch_sha256: 'e'.repeat(64), patch_bytes: 3 };
const asking = (
  action = 'deploy:production',
  more: Partial<ApprovalRequestInput> = {},
): ApprovalRequestInput => ({
  request: { action, title: 'Ship it', description: '' },
  parkedWork: work,
  autonomy: DEFAULT_APPROVAL_SETTINGS.autonomy,
  timeoutPolicy: DEFAULT_APPROVAL_SETTINGS.timeout_policy,
  ...more,
});
const of = (change: TaskChange | null): Task => {
  if (!change) throw new Error('nothing changed');
  return change.task;
};
const parked = (more: Partial<ApprovalRequestInput> = {}): Task =>
  of(recordApprovalRequest(running(), 1, asking(undefined, more), FIXED_NOW));
const word = (decision: ApprovalDecision['decision'], by = 'ann'): ApprovalDecision => ({
  decision,
  by,
  reason: 'because',
});
const refused = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
  return 'nothing was refused';
};

describe('an agent that asks for leave', () => {
  it('parks its task: its box is let go, nothing is started for it, and no lease runs', () => {
    const before = running();
    const after = parked();
    expect(after).toMatchObject({
      status: 'auth_required',
      approvals: [
        { number: 1, status: 'pending', risk: 'critical', action: 'deploy:production', parked_work: work },
      ],
    });
    expect(after.attempts[0]?.agent).toMatchObject({ lost: true, parked_for_approval: 1 });
    expect(determineCascadeStage(after)).toBe('held');
    expect(shouldStartCascadeExecution(before, after)).toBe(false);
    expect(expireLease(after, addSeconds(86_400))).toBeNull();
    expect(computeTaskDeadline(after)).toEqual(addSeconds(240 * 60));
  });

  it('waits for nobody when an operator has ended its task and tries it again', () => {
    const ended = of(failTaskByOperator(parked(), 'enough', 'ann', addSeconds(60)));
    expect(of(startRetryRound(ended, addSeconds(120))).approvals).toMatchObject([
      { status: 'rejected', decided_by: 'assay', decided_at: addSeconds(120).toISOString() },
    ]);
  });

  it('may repeat what it has said, and nothing else, as long as nobody has decided', () => {
    const holder = { caller: 'agent', attempt: 1, launch: 1 } as const;
    expect(determineLaunchTokenAccess(parked(), holder)).toBe('repeat');
    expect(recordApprovalRequest(parked(), 1, asking(), addSeconds(5))).toBeNull();
    const approved = of(decideApproval(parked(), word('approve'), addSeconds(9)));
    expect(determineLaunchTokenAccess(approved, holder)).toBe('over');
  });

  it('goes on at once where its autonomy leaves it to it, which is written down', () => {
    const after = of(recordApprovalRequest(running(), 1, asking('code:refactor'), FIXED_NOW));
    expect(after).toMatchObject({
      status: 'in_progress',
      approvals: [{ status: 'approved', decided_by: 'autonomy semi', risk: 'medium' }],
    });
    expect(after.attempts[0]?.agent?.lost).toBe(false);
    expect(recordApprovalRequest(after, 1, asking('code:refactor'), addSeconds(1))).toBeNull();
  });

  it('has less of it where its task says so, and never more', () => {
    const locked = running({ autonomy: 'locked' });
    expect(of(recordApprovalRequest(locked, 1, asking('code:read'), FIXED_NOW)).status).toBe('auth_required');
    const full = running({ autonomy: 'full' });
    expect(
      of(recordApprovalRequest(full, 1, asking('code:write', { autonomy: 'supervised' }), FIXED_NOW)).status,
    ).toBe('auth_required');
  });

  it('has less of it where the base says so, and least where nobody has read the base', () => {
    const asked = (fields: Partial<Task>): string =>
      of(recordApprovalRequest(running(fields), 1, asking('code:write'), FIXED_NOW)).status;
    expect(asked({ base_autonomy: null })).toBe('in_progress');
    expect(asked({ base_autonomy: 'full', autonomy: 'full' })).toBe('in_progress');
    expect(asked({ base_autonomy: 'supervised', autonomy: 'full' })).toBe('auth_required');
    expect(asked({ base_autonomy: undefined })).toBe('auth_required');
  });

  it('may not ask without an end', () => {
    let now = running();
    for (let asked = 0; asked < 5; asked++)
      now = of(
        recordApprovalRequest(
          now,
          1,
          asking('test:run', { request: { action: 'test:run', title: `${asked}`, description: '' } }),
          FIXED_NOW,
        ),
      );
    expect(refused(() => recordApprovalRequest(now, 1, asking(), FIXED_NOW))).toBe('conflict');
  });
});

describe("a person's word", () => {
  it('yes: the attempt goes on in a new box, which is told of it and given the work', () => {
    const after = of(decideApproval(parked(), word('approve'), addSeconds(60)));
    expect(after).toMatchObject({
      status: 'claimed',
      run: 2,
      approvals: [{ status: 'approved', decided_by: 'ann' }],
    });
    expect(after.attempts).toHaveLength(1);
    expect(determineCascadeStage(after)).toBe('run_agent');
    expect(buildPromptParts(after, after.attempts).FEEDBACK).toMatch(/deploy:production .*approved by ann/);
    expect(findRepeatedApprovalRequest(after, 1, asking().request)?.parked_work).toEqual(work);
  });

  it('yes: an outside agent keeps its token and goes on by its next sign of life', () => {
    const waits = of(recordApprovalRequest(outside(), 1, asking(), FIXED_NOW));
    expect(waits.attempts[0]?.agent?.lost).toBe(false);
    const after = of(decideApproval(waits, word('approve'), addSeconds(3_600)));
    expect(after).toMatchObject({ status: 'claimed', run: 1 });
    expect(determineLaunchTokenAccess(after, { caller: 'agent', attempt: 1, launch: 1 })).toBe('live');
  });

  it('no: the task is cancelled, as the seed says and its source does not', () => {
    expect(of(decideApproval(parked(), word('deny'), addSeconds(60)))).toMatchObject({
      status: 'cancelled',
      failure: { code: 'approval_denied' },
      attempts: [{ outcome: 'cancelled' }],
      approvals: [{ status: 'rejected' }],
    });
  });

  it('is not asked of who does the work, neither before nor in the condition of the write', () => {
    const waits = of(recordApprovalRequest(outside(), 1, asking(), FIXED_NOW));
    expect(refused(() => decideApproval(waits, word('approve', 'worker'), FIXED_NOW))).toBe('forbidden');
    expect(decideApproval(waits, word('approve'), FIXED_NOW)?.excludedDecider).toBe('ann');
  });

  it('is the same word when it is said again, and another one is refused', () => {
    const after = of(decideApproval(parked(), word('approve'), FIXED_NOW));
    expect(decideApproval(after, word('approve'), addSeconds(1))).toBeNull();
    expect(refused(() => decideApproval(after, word('deny'), addSeconds(1)))).toBe('conflict');
    expect(refused(() => decideApproval(after, word('approve', 'bob'), addSeconds(1)))).toBe('conflict');
    expect(refused(() => decideApproval(running(), word('approve'), FIXED_NOW))).toBe('conflict');
    expect(
      refused(() => decideApproval(parked(), { ...word('approve'), approvalNumber: 2 }, FIXED_NOW)),
    ).toBe('conflict');
  });
});

describe('time alone', () => {
  it('ends the task when nobody has decided', () => {
    expect(applyApprovalDeadline(parked(), addSeconds(240 * 60 - 1))).toBeNull();
    expect(of(applyApprovalDeadline(parked(), addSeconds(240 * 60)))).toMatchObject({
      status: 'cancelled',
      failure: { code: 'approval_expired' },
      approvals: [{ status: 'expired', decided_by: 'timeout_policy' }],
    });
  });

  it('brings the next role its turn, and a new time', () => {
    const policy: ApprovalTimeoutPolicy = {
      kind: 'escalation',
      steps: [
        { role: 'lead', minutes: 1 },
        { role: 'head', minutes: 1 },
      ],
      outcome: 'deny',
    };
    const after = of(applyApprovalDeadline(parked({ timeoutPolicy: policy }), addSeconds(60)));
    expect(after).toMatchObject({
      status: 'auth_required',
      approvals: [{ approver_role: 'head', status: 'pending' }],
    });
    expect(computeTaskDeadline(after)).toEqual(addSeconds(120));
    expect(of(applyApprovalDeadline(after, addSeconds(120))).status).toBe('cancelled');
  });

  it('allows what is of low risk where the policy says so, and nothing of high risk even if the item said it', () => {
    const policy = { kind: 'tiered', tiers: { medium: { minutes: 1, outcome: 'approve' } } } as const;
    const waits = of(
      recordApprovalRequest(running(), 1, asking('budget:spend', { timeoutPolicy: policy }), FIXED_NOW),
    );
    expect(of(applyApprovalDeadline(waits, addSeconds(60)))).toMatchObject({
      status: 'claimed',
      approvals: [{ status: 'approved' }],
    });
    const forged = parked();
    const [first] = forged.approvals ?? [];
    const approvals = first
      ? [{ ...first, deadlines: [{ at: FIXED_NOW.toISOString(), outcome: 'approve' as const }] }]
      : [];
    expect(of(applyApprovalDeadline({ ...forged, approvals }, addSeconds(60))).status).toBe('cancelled');
  });
});

describe('whatever comes in whatever order, and twice', () => {
  const act = fc.oneof(
    fc.record({
      kind: fc.constant('word' as const),
      decision: fc.constantFrom('approve' as const, 'deny' as const),
      by: fc.constantFrom('ann', 'bob', 'worker'),
    }),
    fc.record({ kind: fc.constant('time' as const), minutes: fc.constantFrom(1, 100, 300) }),
    fc.record({
      kind: fc.constant('ask' as const),
      action: fc.constantFrom('deploy:production', 'code:write'),
    }),
  );

  it('one word counts, the first; nothing is decided by who does the work, and time lets nothing of high risk through', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 12 }), fc.boolean(), (acts, isOutside) => {
        let now = FIXED_NOW;
        let present = isOutside ? outside() : running();
        const apply = (command: () => TaskChange | null): void => {
          try {
            const changed = command();
            if (changed) {
              expect(changed.task.version).toBe(present.version + 1);
              present = changed.task;
            }
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
          }
        };
        for (const each of acts) {
          const decided = (present.approvals ?? []).filter(({ status }) => status !== 'pending');
          // Each arrives twice.
          for (let time = 0; time < 2; time++) {
            if (each.kind === 'word') apply(() => decideApproval(present, { ...each, reason: 'r' }, now));
            if (each.kind === 'ask') apply(() => recordApprovalRequest(present, 1, asking(each.action), now));
            if (each.kind === 'time') {
              if (time === 0) now = addSeconds(each.minutes * 60, now);
              apply(() => applyApprovalDeadline(present, now));
            }
          }
          for (const was of decided) expect(present.approvals).toContainEqual(was);
          expect((findPendingApproval(present) !== null) === (present.status === 'auth_required')).toBe(true);
        }
        for (const approval of present.approvals ?? []) {
          expect(approval.decided_by).not.toBe(approval.requested_by);
          if (approval.status === 'approved' && approval.risk === 'critical')
            expect(['ann', 'bob', 'worker']).toContain(approval.decided_by);
        }
      }),
      { numRuns: 60 },
    );
  });
});
