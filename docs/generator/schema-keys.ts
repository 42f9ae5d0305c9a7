import type { Json, JsonObject } from './schemas.ts';

/** One key of a configuration file, as a reference page shows it. */
export interface SchemaKey {
  readonly path: string;
  readonly type: string;
  readonly defaultValue: string;
  readonly description: string;
  readonly example: string;
}

/** Deepest key that is listed; deeper objects are shown as one value. */
const MAX_DEPTH = 5;
/** Longest list of allowed values and longest example, in characters. */
const MAX_CELL = 160;

const asObject = (value: Json | undefined): JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : {};
const asList = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.map((each) => asObject(each)) : [];

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
const code = (value: Json): string => {
  const text = JSON.stringify(value);
  return text.length > MAX_CELL ? '' : `\`${cell(text)}\``;
};

/** Lists the keys of a JSON schema, each with its type, limits, default and a value that it accepts. */
export function listSchemaKeys(root: JsonObject): SchemaKey[] {
  const definitions = asObject(root['$defs']);
  const resolve = (schema: JsonObject): JsonObject => {
    const reference = schema['$ref'];
    if (typeof reference !== 'string') return schema;
    return { ...asObject(definitions[reference.replace('#/$defs/', '')]), ...schema };
  };
  const variantsOf = (schema: JsonObject): readonly JsonObject[] =>
    [...asList(schema['anyOf']), ...asList(schema['oneOf'])].map(resolve);

  const describeType = (given: JsonObject, depth = 0): string => {
    const schema = resolve(given);
    if (schema['const'] !== undefined) return code(schema['const']);
    if (Array.isArray(schema['enum'])) return schema['enum'].map(code).join(', ');
    const variants = variantsOf(schema);
    if (variants.length > 0)
      return [...new Set(variants.map((each) => describeType(each, depth + 1)))].join(' or ');
    if (schema['type'] === 'array')
      return `list of ${depth > 2 ? 'values' : describeType(asObject(schema['items']), depth + 1)}`;
    const { minimum, maximum, exclusiveMinimum, maxLength } = schema;
    const isOpen = maximum === undefined || Number(maximum) >= Number.MAX_SAFE_INTEGER;
    const range = [
      minimum !== undefined && Number(minimum) > -Number.MAX_SAFE_INTEGER && `from ${minimum}`,
      exclusiveMinimum !== undefined && `over ${exclusiveMinimum}`,
      !isOpen && `to ${maximum}`,
      maxLength !== undefined && `at most ${maxLength} characters`,
    ].filter((each) => each !== false);
    return [String(schema['type'] ?? 'any'), ...range].join(' ');
  };

  const sample = (given: JsonObject, depth = 0): Json => {
    const schema = resolve(given);
    if (Array.isArray(schema['examples'])) return schema['examples'][0] as Json;
    if (schema['const'] !== undefined) return schema['const'];
    if (Array.isArray(schema['enum'])) return schema['enum'][0] as Json;
    const hasDefault = schema['default'] !== undefined && schema['default'] !== null;
    if (hasDefault && JSON.stringify(schema['default']).length > 2) return schema['default'] as Json;
    const [first] = variantsOf(schema);
    if (first) return sample(first, depth);
    switch (schema['type']) {
      case 'boolean':
        return true;
      case 'integer':
      case 'number':
        return Math.max(Number(schema['minimum'] ?? 1), 1) === 1
          ? Math.min(1, Number(schema['maximum'] ?? 1))
          : Number(schema['minimum']);
      case 'array':
        return depth > 3 ? [] : [sample(asObject(schema['items']), depth + 1)];
      case 'object': {
        const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
        const properties = asObject(schema['properties']);
        return Object.fromEntries(required.map((key) => [key, sample(asObject(properties[key]), depth + 1)]));
      }
      default:
        return 'text';
    }
  };

  const keys: SchemaKey[] = [];
  const visit = (given: JsonObject, path: string, depth: number): void => {
    const schema = resolve(given);
    const children: [string, JsonObject][] = [];
    for (const each of [schema, ...variantsOf(schema)]) {
      for (const [key, child] of Object.entries(asObject(each['properties'])))
        children.push([path === '' ? key : `${path}.${key}`, asObject(child)]);
      const items = resolve(asObject(each['items']));
      if (each['type'] === 'array' && Object.keys(asObject(items['properties'])).length > 0)
        for (const [key, child] of Object.entries(asObject(items['properties'])))
          children.push([`${path}[].${key}`, asObject(child)]);
      const values = resolve(asObject(each['additionalProperties']));
      if (Object.keys(asObject(values['properties'])).length > 0) children.push([`${path}.NAME`, values]);
    }
    const alternatives = new Map<string, JsonObject[]>();
    for (const [name, child] of children) alternatives.set(name, [...(alternatives.get(name) ?? []), child]);
    for (const [name, [first = {}, ...others]] of alternatives) {
      const child =
        others.length === 0 ? first : { description: first['description'] ?? '', anyOf: [first, ...others] };
      const resolved = resolve(child);
      // A key that the file refuses.
      if (resolved['not'] !== undefined) continue;
      const isGroup =
        resolved['type'] === 'object' && Object.keys(asObject(resolved['properties'])).length > 0;
      keys.push({
        path: name,
        type: cell(describeType(resolved)),
        defaultValue: resolved['default'] === undefined || isGroup ? '' : code(resolved['default']),
        description: cell(String(resolved['description'] ?? '')),
        example: isGroup ? '' : code(sample(resolved)),
      });
      if (depth < MAX_DEPTH) visit(resolved, name, depth + 1);
    }
  };
  visit(root, '', 1);
  return keys;
}

/** Returns a table of keys. */
export const keyTable = (keys: readonly SchemaKey[]): string =>
  [
    '| Key | Type | Default | Example | Meaning |',
    '|---|---|---|---|---|',
    ...keys.map(
      ({ path, type, defaultValue, description, example }) =>
        `| \`${path}\` | ${type} | ${defaultValue} | ${example} | ${description} |`,
    ),
  ].join('\n');
