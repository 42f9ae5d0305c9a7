import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configurationSchema } from '../../docs/generator/configuration.ts';
import { RULE_LEVELS } from '../../gates/core/rule-settings.ts';
import { parseAssayConfig } from '../../gates/pipeline/configuration/parse-config.ts';
import { GATE_RULES } from '../../gates/rules/rule-registry.ts';

const schema = configurationSchema() as {
  readonly properties: {
    readonly rules: { readonly properties: object; readonly additionalProperties: boolean };
  };
  readonly $defs: { readonly RuleSetting: { readonly anyOf: readonly Record<string, unknown>[] } };
};

test('editors know every rule by name, its levels, paths, reason and end', () => {
  const { properties, additionalProperties } = schema.properties.rules;
  expect(Object.keys(properties)).toEqual(GATE_RULES.map(({ id }) => id));
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

const ROOT = join(import.meta.dirname, '../..');
const KEYS = new Set(Object.keys(schema.properties));

test('every assay.yaml that a page shows is valid', () => {
  const shown = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })].flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = '']) => ({
      page,
      text,
      keys: [...text.matchAll(/^(\w+):/gm)].map(([, key = '']) => key),
    })),
  );
  const ofProjects = shown.filter(
    ({ keys }) => keys.some((key) => key !== 'version') && keys.every((key) => KEYS.has(key)),
  );
  expect(ofProjects.map(({ page }) => page)).toEqual(
    expect.arrayContaining([
      'README.md',
      'docs/reference/configuration.md',
      'docs/how-to/environments.md',
      'docs/reference/gates.md',
    ]),
  );
  const problems = ofProjects.flatMap(({ page, text }) => {
    try {
      parseAssayConfig(text);
      return [];
    } catch (error) {
      return [`${page}: ${error instanceof Error ? error.message : error}`];
    }
  });
  expect(problems).toEqual([]);
});
