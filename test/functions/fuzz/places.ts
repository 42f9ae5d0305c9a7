import * as z from 'zod';

export type Path = readonly (string | number)[];
type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Every place of a body: of its fields, and of the first entry of each list. */
export function placesOf(value: unknown, at: Path = []): Path[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = [...at, Array.isArray(value) ? Number(key) : key];
    return [path, ...placesOf(inner, path)];
  });
}

/** Does one of these have the very same in this place? Then it has been tried there. */
export function isInOneOf(bodies: readonly unknown[], body: unknown, path: Path): boolean {
  const at = (of: unknown): unknown =>
    path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), of);
  return bodies.some((each) => JSON.stringify(at(each)) === JSON.stringify(at(body)));
}

/** Places of all objects of a body that have fields, where an unknown one can be put. */
export const objectsOf = (value: unknown, at: Path = []): Path[] =>
  isObject(value)
    ? [
        ...(Array.isArray(value) ? [] : [at]),
        ...Object.entries(value).flatMap(([key, inner]) =>
          objectsOf(inner, [...at, Array.isArray(value) ? Number(key) : key]),
        ),
      ]
    : [];

/** Names of all fields of a schema, as `/a/*` for those of the entries of a list; alternatives are taken together. */
export function fieldsOf(schema: z.ZodType): Set<string> {
  const document = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json;
  const found = new Set<string>();
  const look = (part: unknown, at: string): void => {
    if (!isObject(part)) return;
    const ref = part['$ref'];
    if (typeof ref === 'string') {
      const name = ref.split('/').at(-1) ?? '';
      look((document['$defs'] as Json)[name], at);
    }
    for (const name of ['anyOf', 'oneOf', 'allOf'])
      for (const each of (part[name] ?? []) as unknown[]) look(each, at);
    if (isObject(part['properties']))
      for (const [key, each] of Object.entries(part['properties'])) {
        found.add(`${at}/${key}`);
        look(each, `${at}/${key}`);
      }
    if (part['items'] !== undefined) look(part['items'], `${at}/*`);
  };
  look(document, '');
  return found;
}

/** The places of bodies, written as those of a schema. */
export const namesOf = (bodies: readonly unknown[]): Set<string> =>
  new Set(
    bodies.flatMap((body) =>
      placesOf(body)
        .filter((path) => typeof path.at(-1) === 'string')
        .map((path) => path.map((each) => `/${typeof each === 'number' ? '*' : each}`).join('')),
    ),
  );

/** The body as JSON, with something else in some places; what lies further out counts. */
export function withAll(body: unknown, puts: readonly (readonly [Path, string])[]): string {
  const holder = { body: structuredClone(body) };
  const mark = (index: number): string => `@put ${index} here@`;
  const inwards = puts.map(([path, json]) => ({ path: ['body', ...path], json }));
  inwards.sort((a, b) => b.path.length - a.path.length);
  for (const [index, { path }] of inwards.entries()) {
    let inner = holder as unknown as Record<string | number, unknown>;
    for (const key of path.slice(0, -1)) inner = inner[key] as typeof inner;
    inner[path.at(-1) ?? ''] = mark(index);
  }
  return inwards.reduce(
    (text, { json }, index) => text.replace(JSON.stringify(mark(index)), () => json),
    JSON.stringify(holder.body),
  );
}

export const withAt = (body: unknown, path: Path, json: string): string => withAll(body, [[path, json]]);
