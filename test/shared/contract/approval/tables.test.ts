import { describe, expect, it } from 'vitest';
import { approvalUrgency } from '../../../../shared/api/approval-view.ts';
import {
  AUTONOMY_LEVELS,
  AUTONOMY_PRESETS,
  expandActionCategories,
  getLowerAutonomyLevel,
  isActionAllowedWithoutApproval,
} from '../../../../shared/contract/approval/autonomy.ts';
import {
  actionRisk,
  isHumanApprovalRequired,
  KNOWN_ACTIONS,
  RISK_LEVELS,
} from '../../../../shared/contract/approval/risk.ts';
import {
  ApprovalTimeoutPolicy,
  scheduleApproval,
} from '../../../../shared/control/approvals/timeout-policy.ts';
import { addSeconds, FIXED_NOW } from '../../../support/builders.ts';

describe('the risk of an action', () => {
  it.each([
    ['critical', ['deploy:production', 'db:admin', 'org:fire']],
    ['high', ['deploy:staging', 'db:mutate', 'code:delete', 'vcs:push', 'comms:external', 'budget:exceed']],
    [
      'medium',
      [
        'code:create',
        'code:write',
        'code:refactor',
        'vcs:commit',
        'arch:decide',
        'org:hire',
        'org:promote',
        'budget:spend',
      ],
    ],
    [
      'low',
      [
        'code:read',
        'vcs:read',
        'test:run',
        'test:write',
        'docs:write',
        'vcs:branch',
        'comms:internal',
        'db:query',
        'memory:read',
      ],
    ],
  ] as const)('is %s for its row', (risk, actions) => {
    expect(new Set(KNOWN_ACTIONS.filter((action) => actionRisk(action) === risk))).toEqual(new Set(actions));
  });

  it('is high where nobody knows the action', () => {
    for (const action of ['moon:land', 'code:sing', 'constructor:x', '__proto__:y'])
      expect(actionRisk(action)).toBe('high');
  });
});

describe('a level of autonomy', () => {
  it.each(AUTONOMY_LEVELS)('%s has no action in both of its lists, nor after they are expanded', (level) => {
    const { allowed, needsApproval } = AUTONOMY_PRESETS[level];
    expect(
      expandActionCategories(allowed).filter((action) =>
        expandActionCategories(needsApproval).includes(action),
      ),
    ).toEqual([]);
  });

  it('never leaves what is of high or critical risk to an agent: not as the seed, whose full level does', () => {
    for (const level of AUTONOMY_LEVELS)
      for (const action of [...KNOWN_ACTIONS, 'moon:land'])
        if (isHumanApprovalRequired(actionRisk(action)))
          expect(
            isActionAllowedWithoutApproval(level, action, actionRisk(action)),
            `${level} ${action}`,
          ).toBe(false);
  });

  it.each([
    ['full', 'code:write', true],
    ['full', 'budget:spend', true],
    ['semi', 'code:write', true],
    ['semi', 'vcs:commit', true],
    ['semi', 'comms:internal', true],
    ['semi', 'db:query', true],
    ['semi', 'budget:spend', false],
    ['semi', 'org:hire', false],
    ['semi', 'arch:decide', false],
    ['supervised', 'code:read', true],
    ['supervised', 'test:run', true],
    ['supervised', 'code:write', false],
    ['supervised', 'test:write', false],
    ['locked', 'code:read', false],
  ] as const)('%s: %s without a person is %s', (level, action, free) => {
    expect(isActionAllowedWithoutApproval(level, action, actionRisk(action))).toBe(free);
  });

  it('leaves less the lower it is', () => {
    const free = AUTONOMY_LEVELS.map((level) =>
      KNOWN_ACTIONS.filter((action) => isActionAllowedWithoutApproval(level, action, actionRisk(action))),
    );
    free.slice(1).forEach((actions, index) => {
      for (const action of actions) expect(free[index]).toContain(action);
    });
  });

  it('can be lowered and not raised', () => {
    expect(getLowerAutonomyLevel('semi', 'locked')).toBe('locked');
    expect(getLowerAutonomyLevel('semi', 'full')).toBe('semi');
    expect(getLowerAutonomyLevel('semi', undefined)).toBe('semi');
  });
});

const at = (minutes: number): string => addSeconds(minutes * 60).toISOString();
const asked = { action: 'code:write', risk: 'medium' } as const;

describe('what becomes of an approval that nobody decides', () => {
  it('wait: nothing', () => {
    expect(scheduleApproval({ kind: 'wait' }, asked, FIXED_NOW)).toEqual({
      deadlines: [],
      approver_role: null,
    });
  });

  it('deny: that, when its time is over', () => {
    expect(scheduleApproval({ kind: 'deny', minutes: 240 }, asked, FIXED_NOW).deadlines).toEqual([
      { at: at(240), outcome: 'deny' },
    ]);
  });

  it('tiered: as the tier says that names the action, else that of its risk, else nothing', () => {
    const policy = ApprovalTimeoutPolicy.parse({
      kind: 'tiered',
      tiers: {
        low: { minutes: 5, outcome: 'approve' },
        medium: { minutes: 60, outcome: 'approve' },
        high: { minutes: 10, actions: ['docs:write'] },
      },
    });
    expect(scheduleApproval(policy, asked, FIXED_NOW).deadlines).toEqual([
      { at: at(60), outcome: 'approve' },
    ]);
    expect(scheduleApproval(policy, { action: 'docs:write', risk: 'low' }, FIXED_NOW).deadlines).toEqual([
      { at: at(10), outcome: 'deny' },
    ]);
    expect(scheduleApproval(policy, { action: 'db:admin', risk: 'critical' }, FIXED_NOW).deadlines).toEqual(
      [],
    );
  });

  it('escalation: one role after the other, each from when the one before has had its time', () => {
    const policy = ApprovalTimeoutPolicy.parse({
      kind: 'escalation',
      steps: [
        { role: 'lead', minutes: 30 },
        { role: 'head', minutes: 60 },
      ],
    });
    expect(scheduleApproval(policy, asked, FIXED_NOW)).toEqual({
      approver_role: 'lead',
      deadlines: [
        { at: at(30), outcome: 'escalate', escalate_to: 'head' },
        { at: at(90), outcome: 'deny' },
      ],
    });
  });

  it.each(['high', 'critical'] as const)('never allows what is of %s risk, whatever it says', (risk) => {
    const action = { action: 'x:y', risk };
    const policies = [
      {
        kind: 'tiered',
        tiers: Object.fromEntries(RISK_LEVELS.map((each) => [each, { minutes: 1, outcome: 'approve' }])),
      },
      { kind: 'escalation', steps: [{ role: 'r', minutes: 1 }], outcome: 'approve' },
    ];
    for (const policy of policies)
      expect(
        scheduleApproval(ApprovalTimeoutPolicy.parse(policy), action, FIXED_NOW).deadlines.map(
          ({ outcome }) => outcome,
        ),
      ).toEqual(['deny']);
  });

  it.each([
    [{ kind: 'tiered', tiers: { low_risk: { minutes: 5 } } }, "the key of the seed's own example"],
    [{ kind: 'tiered', tiers: { low: { minutes: 0 } } }, 'no time'],
    [{ kind: 'tiered', tiers: { low: { minutes: null } } }, 'a time that is null'],
    [{ kind: 'tiered', tiers: { low: { minutes: 5, outcome: 'escalate' } } }, 'a tier that escalates'],
    [{ kind: 'escalation', steps: [] }, 'nobody to escalate to'],
    [{ kind: 'deny', minutes: 1, more: 1 }, 'an unknown field'],
  ])('refuses %j: %s', (policy, _why) => {
    expect(ApprovalTimeoutPolicy.safeParse(policy).success).toBe(false);
  });

  it.each([
    [null, 'no_expiry'],
    [59, 'critical'],
    [60, 'high'],
    [239, 'high'],
    [240, 'normal'],
  ] as const)('with %s minutes left is of urgency %s', (minutes, is) => {
    expect(approvalUrgency(minutes === null ? null : at(minutes), FIXED_NOW)).toBe(is);
  });
});
