import * as z from 'zod';

export interface Column {
  readonly name: string;
  /** A Hive type. */
  readonly type: string;
}

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** Nullable types are written as `anyOf` with null, or as a list of types; Hive columns are nullable anyway. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const [only, ...others] = schema.anyOf?.filter((option) => option.type !== 'null') ?? [];
  return only && others.length === 0 ? only : schema;
}

const typesOf = ({ type, enum: values, const: literal }: JsonSchema): string[] => {
  if (type !== undefined) return [type].flat();
  return [...new Set((values ?? [literal]).map((value) => (value === null ? 'null' : typeof value)))];
};

function hiveType(nullable: JsonSchema, path: string): string {
  const schema = withoutNull(nullable);
  const [type, ...others] = typesOf(schema).filter((name) => name !== 'null');
  if (others.length > 0) throw new Error(`${path} has several types: ${JSON.stringify(nullable)}`);
  switch (type) {
    case 'string':
    case 'boolean':
      return type;
    case 'integer':
      return 'bigint';
    case 'number':
      return Number.isInteger(schema.const) ? 'bigint' : 'double';
    case 'array':
      return `array<${hiveType(schema.items as JsonSchema, `${path}[]`)}>`;
    case 'object':
      if (!schema.properties && typeof schema.additionalProperties === 'object')
        return `map<string,${hiveType(schema.additionalProperties, `${path}{}`)}>`;
      return `struct<${fields(schema, path)
        .map((field) => `${field.name}:${field.type}`)
        .join(',')}>`;
    default:
      throw new Error(`${path} has no column type: ${JSON.stringify(nullable)}`);
  }
}

const fields = (schema: JsonSchema, path: string): Column[] =>
  Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    type: hiveType(field as JsonSchema, `${path}.${name}`),
  }));

/** The columns of a table whose rows have this schema. Throws, naming the field, when a type has no column. */
export const columnsOf = (name: string, schema: z.ZodObject): Column[] =>
  fields(z.toJSONSchema(schema, { io: 'output' }), name);
