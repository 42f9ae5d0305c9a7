import * as z from 'zod';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

const REF = '#/$defs/';

/** Replaces references into a schema's own definitions by references into the document's components. */
function relocate(value: Json): Json {
  if (Array.isArray(value)) return value.map(relocate);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === '$ref' && typeof each === 'string'
        ? each.replace(REF, '#/components/schemas/')
        : relocate(each),
    ]),
  );
}

/** Says of a list of fixed places what each of them may be: a schema for each place is what several readers of OpenAPI do not know. */
function withoutPlaces(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.prefixItems === undefined) return;
  const kinds = [...new Set(schema.prefixItems.map((each) => JSON.stringify(each)))].map((each) =>
    JSON.parse(each),
  );
  delete schema.prefixItems;
  schema.items = kinds.length === 1 ? kinds[0] : { anyOf: kinds };
}

/** Collects the named schemas of a document. Throws when one name would stand for two different schemas. */
export class Components {
  readonly #schemas = new Map<string, Json>();

  /** The schema as it stands in the document: a reference when it has a name. `io`: as it is sent, or as it is answered. */
  add(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
    const {
      $schema: _,
      $defs = {},
      ...top
    } = z.toJSONSchema(schema, {
      io,
      override: ({ jsonSchema }) => {
        // Answers may gain fields; only what is sent to us is strict.
        if (io === 'output') delete jsonSchema.additionalProperties;
        withoutPlaces(jsonSchema);
      },
    }) as { $schema?: string; $defs?: Record<string, Json> } & Record<string, Json>;
    for (const [name, definition] of Object.entries($defs)) this.#define(name, relocate(definition));
    return relocate(top) as JsonObject;
  }

  #define(name: string, definition: Json): void {
    const known = this.#schemas.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition))
      throw new Error(`the schema ${name} means two different things in the document`);
    this.#schemas.set(name, definition);
  }

  /** All of them by name, in alphabetical order. */
  all(): JsonObject {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
