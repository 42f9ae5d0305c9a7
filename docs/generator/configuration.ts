import * as z from 'zod';
import { QualityGatesConfigSchema } from '../../gates/pipeline/configuration/config-schema.ts';
import { GATE_RULES } from '../../gates/rules/rule-registry.ts';
import type { Json, JsonObject } from './schemas.ts';

/** docs/assay.schema.json: the JSON schema of `assay.yaml`, for editors. Each rule that can be set is there by its name. */
export function configurationSchema(): JsonObject {
  const { properties, ...schema } = z.toJSONSchema(QualityGatesConfigSchema, {
    io: 'input',
    unrepresentable: 'any',
  }) as {
    readonly properties: { readonly [key: string]: JsonObject };
    readonly [key: string]: Json | JsonObject;
  };
  const { additionalProperties: setting, propertyNames: _, ...rules } = properties['rules'] ?? {};
  return {
    ...schema,
    title: 'assay.yaml',
    properties: {
      ...properties,
      rules: {
        ...rules,
        description: 'What rules that read do here; `assay rules explain ID` says more of each.',
        properties: Object.fromEntries(
          GATE_RULES.map(({ id, default: level, summary }) => [
            id,
            { $ref: '#/$defs/RuleSetting', description: `${summary} (where nothing is set: ${level})` },
          ]),
        ),
        additionalProperties: false,
      },
    },
    $defs: {
      ...((schema['$defs'] as JsonObject | undefined) ?? {}),
      RuleSetting: {
        description:
          'A level; or one with paths, reason and expires; or several of these, the last that fits a file counts. Less than a rule does by itself needs reason and expires.',
        ...(setting as JsonObject),
      },
    },
  };
}
