import { describe, expect, test } from 'vitest';
import { changesBetween } from '../../../gates/checkout/changes.ts';
import { captureWorkingTree } from '../../../gates/checkout/working-tree.ts';
import { findingsOf, patchView } from '../../../gates/engine/findings.ts';
import { RULES } from '../../../gates/rules/registry.ts';
import type { Example, Rule } from '../../../gates/rules/rule.ts';
import { makeRepository, temporaryFolder } from '../../support/repository.ts';

/** What a rule finds in an example, alone and at the level that finds everything. */
async function found(rule: Rule, { before, after }: Example) {
  const repository = makeRepository(before);
  repository.write(after);
  const { store, base, tree } = await captureWorkingTree(repository.dir, 'main', temporaryFolder());
  const changes = await changesBetween(store, base, tree);
  const patch = await patchView({ store, base, patched: tree, changes }, []);
  return findingsOf([rule], patch, () => 'block');
}

test('every rule has a name of its own, and says what it is for', () => {
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
  for (const { id, says, why } of RULES) {
    expect(id).toMatch(/^[a-z][a-z_]+$/);
    expect(says.length).toBeGreaterThan(20);
    expect(why.length).toBeGreaterThan(40);
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
