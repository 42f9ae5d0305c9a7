import * as z from 'zod';

/** How an engine names the types of columns. */
interface Dialect {
  readonly string: string;
  readonly boolean: string;
  readonly integer: string;
  readonly number: string;
  readonly array: (item: string) => string;
  readonly struct: (fields: readonly TableColumn[]) => string;
  readonly map: (value: string) => string;
}

export interface TableColumn {
  readonly name: string;
  /** In the words of the dialect. */
  readonly type: string;
}

/** Of Glue and Athena. */
const HIVE: Dialect = {
  string: 'string',
  boolean: 'boolean',
  integer: 'bigint',
  number: 'double',
  array: (item) => `array<${item}>`,
  struct: (fields) => `struct<${fields.map(({ name, type }) => `${name}:${type}`).join(',')}>`,
  map: (value) => `map<string,${value}>`,
};

const DUCKDB: Dialect = {
  string: 'VARCHAR',
  boolean: 'BOOLEAN',
  integer: 'BIGINT',
  number: 'DOUBLE',
  array: (item) => `${item}[]`,
  struct: (fields) => `STRUCT(${fields.map(({ name, type }) => `"${name}" ${type}`).join(', ')})`,
  map: (value) => `MAP(VARCHAR, ${value})`,
};

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

function columnType(nullable: JsonSchema, path: string, dialect: Dialect): string {
  const schema = withoutNull(nullable);
  const [type, ...others] = typesOf(schema).filter((name) => name !== 'null');
  if (others.length > 0) throw new Error(`${path} has several types: ${JSON.stringify(nullable)}`);
  switch (type) {
    case 'string':
    case 'boolean':
    case 'integer':
      return dialect[type];
    case 'number':
      return Number.isInteger(schema.const) ? dialect.integer : dialect.number;
    case 'array':
      return dialect.array(columnType(schema.items as JsonSchema, `${path}[]`, dialect));
    case 'object':
      if (!schema.properties && typeof schema.additionalProperties === 'object')
        return dialect.map(columnType(schema.additionalProperties, `${path}{}`, dialect));
      return dialect.struct(fields(schema, path, dialect));
    default:
      throw new Error(`${path} has no column type: ${JSON.stringify(nullable)}`);
  }
}

const fields = (schema: JsonSchema, path: string, dialect: Dialect): TableColumn[] =>
  Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    type: columnType(field as JsonSchema, `${path}.${name}`, dialect),
  }));

const columnsIn =
  (dialect: Dialect) =>
  (name: string, schema: z.ZodObject): TableColumn[] =>
    fields(z.toJSONSchema(schema, { io: 'output' }), name, dialect);

/** The columns of a table whose rows have this schema. @throws naming the field, when a type has no column. */
export const buildHiveColumns = columnsIn(HIVE);
export const buildDuckdbColumns = columnsIn(DUCKDB);
