import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REASONING_EFFORT_LEVELS } from '../../../../shared/contract/agents/effort.ts';
import { TaskComplexity, TaskScope } from '../../../../shared/contract/submission/schema.ts';
import { parseRoleFileOfBase } from '../../../../shared/control/roles/base-role.ts';
import { resolveBuiltinRole } from '../../../../shared/control/roles/defaults.ts';
import {
  ROUTING_RULE_NAMES,
  ROUTING_TABLE,
  routeTask,
} from '../../../../shared/control/routing/route-task.ts';
import { submission } from '../../../support/builders.ts';

describe('routing', () => {
  it.each([
    ['manager', { role: 'manager' }, 'opus', 'max'],
    ['security', { role: 'security' }, 'opus', 'max'],
    ['architect', { role: 'architect' }, 'opus', 'max'],
    ['large_and_complex', { scope: 'large', complexity: 'high' }, 'opus', 'high'],
    ['medium', { complexity: 'medium' }, 'sonnet', 'high'],
    ['low', { complexity: 'low' }, 'sonnet', 'normal'],
  ] as const)('has row %s', (rule, fields, tier, effort) => {
    expect(routeTask(submission(fields))).toMatchObject({ rule, tier, effort });
  });

  it('takes the first row that matches', () => {
    expect(routeTask(submission({ role: 'manager', complexity: 'low' }))).toMatchObject({ rule: 'manager' });
    expect(routeTask(submission({ role: 'security', scope: 'large', complexity: 'high' }))).toMatchObject({
      rule: 'security',
    });
    expect(routeTask(submission({ scope: 'large', complexity: 'medium' }))).toMatchObject({ rule: 'medium' });
  });

  it('goes by the role where no row matches', () => {
    const complex = submission({ complexity: 'high', role: 'qa' });
    expect(routeTask(complex)).toMatchObject({ rule: 'role', tier: 'sonnet', effort: 'high' });
    const written = 'model: opus\neffort: medium\nlimits: { max_cost_usd: 2 }\n';
    expect(routeTask({ ...complex, resolved_role: parseRoleFileOfBase('qa', written) })).toEqual({
      rule: 'role',
      tier: 'opus',
      effort: 'medium',
      reason:
        'complexity high, scope medium: what role qa is given by the repository (opus at medium effort)',
    });
    expect(
      routeTask({ ...complex, resolved_role: resolveBuiltinRole('qa', 'example.test answers 403') }),
    ).toMatchObject({
      tier: 'sonnet',
      reason: expect.stringContaining(
        'as it is built in, since the base could not be read (example.test answers 403)',
      ),
    });
  });

  it.each([
    ['a tier', { model: 'haiku' }, { rule: 'task', tier: 'haiku', effort: 'high' }],
    ['a model that is no tier', { model: 'my-model' }, { rule: 'task', tier: null, effort: 'high' }],
    ['an effort', { effort: 'low' }, { rule: 'medium', tier: 'sonnet', effort: 'low' }],
    ['both', { role: 'manager', model: 'haiku', effort: 'low' }, { tier: 'haiku', effort: 'low' }],
  ] as const)('lets the task win that names %s', (_name, fields, expected) => {
    const chosen = routeTask(submission(fields));
    expect(chosen).toMatchObject(expected);
    expect(chosen.reason).toMatch(/^the task says /);
  });

  it('answers every task, always with a reason that fits on a page', () => {
    const request = fc.record({
      role: fc.constantFrom('manager', 'security', 'backend', 'anything'),
      scope: fc.constantFrom(...TaskScope.options),
      complexity: fc.constantFrom(...TaskComplexity.options),
      model: fc.option(fc.string({ minLength: 1, maxLength: 200 }), { nil: undefined }),
      effort: fc.option(fc.constantFrom(...REASONING_EFFORT_LEVELS), { nil: undefined }),
    });
    fc.assert(
      fc.property(request, ({ model, effort, ...fields }) => {
        const chosen = routeTask({
          ...fields,
          ...(model === undefined ? {} : { model }),
          ...(effort === undefined ? {} : { effort }),
        });
        if (effort !== undefined) expect(chosen.effort).toBe(effort);
        if (model !== undefined) expect(chosen.rule).toBe('task');
        expect(chosen.reason.length).toBeGreaterThan(0);
        expect(chosen.reason.length).toBeLessThan(400);
      }),
    );
  });

  it('has a row for each rule', () => {
    expect(ROUTING_TABLE.map(({ rule }) => rule)).toEqual([...ROUTING_RULE_NAMES]);
  });
});
