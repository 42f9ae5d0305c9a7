import { describe, expect, test } from 'vitest';
import type { Rule, RuleExample } from '../../../gates/rules/framework/rule.ts';
import { runRules } from '../../../gates/rules/framework/run-rules.ts';
import { GATE_RULES } from '../../../gates/rules/rule-registry.ts';
import { createExamplePatches } from '../../support/rule-examples.ts';

const patchOf = createExamplePatches(
  GATE_RULES.flatMap(({ invalidExamples, validExamples }) => [...invalidExamples, ...validExamples]),
);

/** What a rule finds in an example that the base does not have, alone and at the level that finds everything. */
const found = async (rule: Rule, example: RuleExample) =>
  (await runRules([rule], await patchOf(example), () => 'error')).filter(
    ({ severity }) => severity !== 'existing',
  );

test('every rule has a name of its own, and says what it is for', () => {
  expect(new Set(GATE_RULES.map(({ id }) => id)).size).toBe(GATE_RULES.length);
  for (const { id, summary, rationale, invalidExamples, validExamples } of GATE_RULES) {
    expect(id).toMatch(/^[a-z][a-z0-9_]+$/);
    expect(summary.length, id).toBeGreaterThan(10);
    expect(rationale.length, id).toBeGreaterThan(40);
    expect([invalidExamples.length > 0, validExamples.length > 0], id).toEqual([true, true]);
  }
});

describe.each(GATE_RULES.map((rule) => [rule.id, rule] as const))('%s', (_, rule) => {
  test.each(rule.invalidExamples.map((each) => [each.name, each] as const))(
    'finds: %s',
    async (_name, example) => {
      expect(await found(rule, example)).not.toEqual([]);
    },
  );

  test.each(rule.validExamples.map((each) => [each.name, each] as const))(
    'leaves: %s',
    async (_name, example) => {
      expect(await found(rule, example)).toEqual([]);
    },
  );
});
