import { describe, expect, test } from 'vitest';
import { findingsOf } from '../../../gates/rules/framework/findings.ts';
import type { Example, Rule } from '../../../gates/rules/framework/rule.ts';
import { RULES } from '../../../gates/rules/registry.ts';
import { examplesOf } from '../../support/examples.ts';

const patchOf = examplesOf(RULES.flatMap(({ caught, honest }) => [...caught, ...honest]));

/** What a rule finds in an example that the base does not have, alone and at the level that finds everything. */
const found = async (rule: Rule, example: Example) =>
  (await findingsOf([rule], await patchOf(example), () => 'block')).filter(
    ({ weight }) => weight !== 'before',
  );

test('every rule has a name of its own, and says what it is for', () => {
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
  for (const { id, says, why, caught, honest } of RULES) {
    expect(id).toMatch(/^[a-z][a-z0-9_]+$/);
    expect(says.length, id).toBeGreaterThan(10);
    expect(why.length, id).toBeGreaterThan(40);
    expect([caught.length > 0, honest.length > 0], id).toEqual([true, true]);
  }
});

describe.each(RULES.map((rule) => [rule.id, rule] as const))('%s', (_, rule) => {
  test.each(rule.caught.map((each) => [each.name, each] as const))('finds: %s', async (_name, example) => {
    expect(await found(rule, example)).not.toEqual([]);
  });

  test.each(rule.honest.map((each) => [each.name, each] as const))('leaves: %s', async (_name, example) => {
    expect(await found(rule, example)).toEqual([]);
  });
});
