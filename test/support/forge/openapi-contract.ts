import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Json = Record<string, unknown>;

interface Schema {
  readonly type?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly query: readonly { readonly name: string; readonly schema: Schema }[];
  readonly body: Schema | null;
  readonly responses: Readonly<Record<string, Schema | null>>;
}

/** A request, and the answer that it got. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Json;
  readonly status: number;
  readonly answer: unknown;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const TYPE_CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
};

/** How a value is validated. `isPartial`: required fields may be missing, as a fake answers with few. */
interface Mode {
  readonly isPartial: boolean;
}

/** The names that a schema or its alternatives know; null: any name is allowed. */
function knownNames(schema: Schema): Set<string> | null {
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (!schema.properties && parts.length === 0) return null;
  const names = new Set(Object.keys(schema.properties ?? {}));
  for (const part of parts) for (const name of knownNames(part) ?? []) names.add(name);
  return schema.additionalProperties !== undefined &&
    schema.additionalProperties !== false &&
    parts.length === 0
    ? null
    : names;
}

function validateScalar(schema: Schema, value: unknown, at: string): string[] {
  if (schema.enum && !schema.enum.includes(value)) return [`${at} is none of ${schema.enum.join(', ')}`];
  if (typeof value === 'string' && value.length > (schema.maxLength ?? Number.POSITIVE_INFINITY))
    return [`${at} has more than ${schema.maxLength} characters`];
  if (typeof value === 'string' && value.length < (schema.minLength ?? 0))
    return [`${at} has fewer than ${schema.minLength} characters`];
  if (Array.isArray(value) && value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY))
    return [`${at} has more than ${schema.maxItems} items`];
  if (Array.isArray(value) && value.length < (schema.minItems ?? 0))
    return [`${at} has fewer than ${schema.minItems} items`];
  return [];
}

/** Returns what is wrong with a value. Names that the schema does not know are wrong unless it says that there may be others. */
function validate(
  schema: Schema,
  value: unknown,
  at: string,
  mode: Mode,
  names?: Set<string> | null,
): string[] {
  if (value === null && (schema.nullable || Object.keys(schema).length === 0)) return [];
  const { type } = schema;
  if (type !== undefined && TYPE_CHECKS[type]?.(value) === false) return [`${at} is no ${type}`];
  const problems = validateScalar(schema, value, at);
  if (Array.isArray(value) && schema.items)
    for (const [index, item] of value.entries())
      problems.push(...validate(schema.items, item, `${at}[${index}]`, mode));
  const known = names === undefined ? knownNames(schema) : names;
  if (isObject(value)) {
    for (const [name, each] of Object.entries(value)) {
      const property = schema.properties?.[name];
      if (property) problems.push(...validate(property, each, `${at}.${name}`, mode));
      else if (known !== null && !known.has(name)) problems.push(`${at}.${name} is not a known field`);
    }
    if (!mode.isPartial)
      for (const name of schema.required ?? [])
        if (!(name in value)) problems.push(`${at}.${name} is missing`);
  }
  for (const part of schema.allOf ?? []) problems.push(...validate(part, value, at, mode, known));
  for (const parts of [schema.anyOf, schema.oneOf]) {
    const tries =
      parts?.map((part) => validate(part, value, at, mode, isObject(value) ? known : undefined)) ?? [];
    if (tries.length > 0 && !tries.some((each) => each.length === 0))
      problems.push(...(tries.toSorted((one, other) => one.length - other.length)[0] ?? []));
  }
  return problems;
}

/** A query arrives as text: numbers and booleans are told by their form. */
const fromQuery = (schema: Schema, text: string): unknown =>
  schema.type === 'integer' ? Number(text) : schema.type === 'boolean' ? text === 'true' : text;

/** Validates requests against a published OpenAPI description, and answers as far as a fake gives them. */
export class OpenApiContract {
  readonly #operations: readonly (Operation & { readonly pattern: RegExp })[];

  constructor(operations: readonly Operation[]) {
    this.#operations = operations.map((each) => ({
      ...each,
      pattern: new RegExp(`^${each.path.replace(/\{name\}$/, '.+').replace(/\{\w+\}/g, '[^/]+')}$`),
    }));
  }

  /** Reads what `lab/forge-contract/extract.ts` has written. */
  static read(file: string): OpenApiContract {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8');
    return new OpenApiContract((JSON.parse(text) as { operations: Operation[] }).operations);
  }

  /** Returns what of an exchange is not as published. */
  check({ method, path, query, body, status, answer }: Exchange): string[] {
    const operation = this.#operations.find((each) => each.method === method && each.pattern.test(path));
    const at = `${method} ${path}`;
    if (!operation)
      return [
        `${at} is no operation of the extract; add it to lab/forge-contract/extract.ts if it is published`,
      ];
    const problems = [...query].flatMap(([name, text]) => {
      const parameter = operation.query.find((each) => each.name === name);
      return parameter
        ? validate(parameter.schema, fromQuery(parameter.schema, text), `?${name}`, { isPartial: false })
        : [`?${name} is not a known parameter`];
    });
    if (operation.body) problems.push(...validate(operation.body, body, 'body', { isPartial: false }));
    else if (Object.keys(body).length > 0) problems.push('takes no body');
    const schema = operation.responses[String(status)];
    if (schema === undefined && status < 400) problems.push(`answers with no status ${status}`);
    else if (schema && answer !== undefined && status < 400)
      problems.push(...validate(schema, answer, 'answer', { isPartial: true }));
    return problems.map((each) => `${at}: ${each}`);
  }
}

export const GITHUB_CONTRACT = OpenApiContract.read('github-openapi.json');
