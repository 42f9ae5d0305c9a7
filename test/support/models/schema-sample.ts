interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

/** A value that fits a JSON schema: the first of an enum, one item in a list, 1, true, "scripted". */
export function buildSchemaSample(given: unknown): unknown {
  const schema = (given ?? {}) as JsonSchema;
  if (schema.enum) return schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf) return buildSchemaSample(schema.anyOf[0]);
  const type = String(Array.isArray(schema.type) ? schema.type[0] : schema.type).toLowerCase();
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, each]) => [name, buildSchemaSample(each)]),
    );
  if (type === 'array') return schema.items ? [buildSchemaSample(schema.items)] : [];
  if (type === 'number' || type === 'integer') return 1;
  if (type === 'boolean') return true;
  return type === 'null' ? null : 'scripted';
}
