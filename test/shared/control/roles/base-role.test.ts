import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRoleFileOfBase } from '../../../../shared/control/roles/base-role.ts';
import { resolveBuiltinRole } from '../../../../shared/control/roles/defaults.ts';

describe('a role as the base has it', () => {
  it('is taken whole: what its file does not say is the default, and not what is built in', () => {
    expect(parseRoleFileOfBase('docs', 'effort: low')).toEqual({
      source: 'repository',
      unread_reason: null,
      model: 'sonnet',
      effort: 'low',
      max_cost_usd: null,
    });
    expect(resolveBuiltinRole('docs').max_cost_usd).not.toBeNull();
  });

  it.each([
    ['folders without end', '['.repeat(30_000)],
    ['keys without end', '? '.repeat(30_000)],
    ['more than 64 KiB', `description: ${'x'.repeat(70_000)}`],
    ['names that expand', 'a: &a [1, 1]\nb: &b [*a, *a]\nc: [*b, *b]\n'],
  ])('decides nothing where its file has %s', (_name, text) => {
    expect(parseRoleFileOfBase('qa', text)).toMatchObject({
      source: 'unread',
      model: 'sonnet',
      effort: 'high',
    });
  });

  it('is always one, whatever the file holds, and says so in few words', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const { source: from, unread_reason } = parseRoleFileOfBase('qa', text);
        return from === 'repository' ? unread_reason === null : (unread_reason ?? '').length <= 500;
      }),
    );
  });
});
