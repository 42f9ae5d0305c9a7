import { expect, test } from 'vitest';
import { configurationSchema } from '../../docs/generator/configuration.ts';
import { RULE_LEVELS } from '../../gates/core/rule-settings.ts';
import { RULES } from '../../gates/rules/rule-registry.ts';

const schema = configurationSchema() as {
  readonly properties: {
    readonly rules: { readonly properties: object; readonly additionalProperties: boolean };
  };
  readonly $defs: { readonly RuleSetting: { readonly anyOf: readonly Record<string, unknown>[] } };
};

test('editors know every rule by name, its levels, paths, reason and end', () => {
  const { properties, additionalProperties } = schema.properties.rules;
  expect(Object.keys(properties)).toEqual(RULES.map(({ id }) => id));
  expect(additionalProperties).toBe(false);
  const [level, setting] = schema.$defs.RuleSetting.anyOf;
  expect(level).toMatchObject({ enum: RULE_LEVELS });
  expect(setting).toMatchObject({
    properties: {
      level: { enum: RULE_LEVELS },
      paths: { type: 'array' },
      reason: { type: 'string' },
      expires: {},
    },
    required: ['level'],
    additionalProperties: false,
  });
});
