import { describe, expect, it } from 'vitest';
import { chooseRole } from '../../../../shared/control/routing/choose-role.ts';
import { submission, task } from '../../../support/builders.ts';

describe('the role of a task', () => {
  it.each([
    ['security', 'Fix the XSS in the search box'],
    ['qa', 'Add tests for the basket'],
    ['devops', 'Cache the CI pipeline'],
    ['docs', 'Update the README'],
    ['frontend', 'Make the buttons of the UI larger'],
    ['backend', 'Round half cents to even'],
    ['security', 'Write documentation of the vulnerability'],
  ])('is %s for "%s", when it is left open', (role, title) => {
    expect(chooseRole(submission({ role: 'auto', title })).role).toBe(role);
  });

  it('is looked for in the description after the title, and says which word told', () => {
    expect(
      chooseRole(submission({ role: 'auto', title: 'Do it', description: 'See docs for the layout' })),
    ).toEqual({ role: 'docs', reason: 'auto: the description says "docs"' });
    expect(chooseRole(submission({ role: 'auto', title: 'Do the docs', description: 'an XSS' })).role).toBe(
      'docs',
    );
  });

  it('is what the task says otherwise, whatever its words', () => {
    expect(chooseRole(submission({ role: 'qa', title: 'Fix the XSS' }))).toEqual({
      role: 'qa',
      reason: null,
    });
    expect(task({}, { role: 'qa' }).role_reason).toBeUndefined();
  });

  it('is written on the task when it is made, since queues and counts go by it', () => {
    expect(task({}, { role: 'auto', title: 'Fix the XSS' })).toMatchObject({
      role: 'security',
      role_reason: 'auto: the title says "XSS"',
    });
  });
});
