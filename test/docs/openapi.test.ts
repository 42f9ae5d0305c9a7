import { expect, test } from 'vitest';
import { BODY_EXAMPLES } from '../../docs/generator/examples.ts';
import { openapi } from '../../docs/generator/openapi.ts';
import { API_REFUSALS } from '../../shared/api/problem.ts';
import { refusalCodesOf } from '../../shared/api/route-refusals.ts';
import {
  ROUTES,
  type RouteDefinition,
  type RouteName,
  takesIdempotencyKey,
} from '../../shared/api/routes.ts';

interface Operation {
  operationId: string;
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean; schema: object }[];
  requestBody?: {
    content: Record<string, { schema: object; examples?: Record<string, { value: unknown }> }>;
  };
  responses: Record<string, { content: Record<string, { schema: object }> }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
  security: object[];
  tags: { name: string }[];
}

const document = openapi() as unknown as Document;
const routes = Object.entries(ROUTES) as [RouteName, RouteDefinition][];
const operationOf = (route: RouteDefinition): Operation | undefined =>
  document.paths[route.path]?.[route.method.toLowerCase()];

function refsIn(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (Array.isArray(value)) for (const each of value) refsIn(each, found);
  else if (value !== null && typeof value === 'object')
    for (const [key, each] of Object.entries(value))
      if (key === '$ref' && typeof each === 'string') found.add(each);
      else refsIn(each, found);
  return found;
}

test('the document is OpenAPI 3.1 and asks for a bearer token unless a route says otherwise', () => {
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(document.security).toEqual([{ token: [] }]);
  expect(document.components.securitySchemes['token']).toMatchObject({ type: 'http', scheme: 'bearer' });
});

test.each(routes)('%s is in the document with its answer and its refusals', (name, route) => {
  const operation = operationOf(route);
  expect(operation?.operationId).toBe(name);
  const expected = [route.status ?? 200, ...refusalCodesOf(route).map((code) => API_REFUSALS[code].status)];
  expect(Object.keys(operation?.responses ?? {})).toEqual(
    expect.arrayContaining([...new Set(expected)].map(String)),
  );
  expect(operation?.responses['500']?.content['application/problem+json']?.schema).toEqual({
    $ref: '#/components/schemas/Problem',
  });
  expect(operation?.security).toEqual(route.callers.includes('anyone') ? [] : undefined);
});

test.each(routes)('%s declares its path parameters, headers and body', (_, route) => {
  const operation = operationOf(route);
  const named = (place: string) =>
    (operation?.parameters ?? []).filter((each) => each.in === place).map((each) => each.name);
  expect(named('path')).toEqual([...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
  expect(named('header')).toEqual([
    ...(takesIdempotencyKey(route) ? ['Idempotency-Key'] : []),
    ...(route.takesIfMatch ? ['If-Match'] : []),
  ]);
  expect(operation?.requestBody !== undefined).toBe(route.body !== undefined);
  expect(named('query').length > 0).toBe(route.query !== undefined);
});

test('the document has no operation that is not a route', () => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  expect(operations).toHaveLength(routes.length);
  expect(new Set(operations.map((each) => each.operationId))).toEqual(new Set(Object.keys(ROUTES)));
});

test('every reference has its schema, and every schema is referred to', () => {
  const refs = refsIn(document);
  const schemas = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
  expect(refs).toEqual(new Set(schemas));
});

test('a request is strict, an answer may gain fields', () => {
  expect(document.components.schemas['SubmitTask']).toMatchObject({ additionalProperties: false });
  expect(document.components.schemas['Task']).not.toHaveProperty('additionalProperties');
});

test('what only the platform may know is not in the document', () => {
  expect(JSON.stringify(document)).not.toMatch(/token_sha256|task_token|assignment_key|request_sha256/);
});

test.each(
  Object.entries(BODY_EXAMPLES).flatMap(([name, examples]) =>
    Object.entries(examples).map(([key, value]) => [name as RouteName, key, value] as const),
  ),
)('the example %s.%s is a body that the API accepts', (name, _, value) => {
  const route: RouteDefinition = ROUTES[name];
  expect(route.body?.safeParse(value)).toMatchObject({ success: true });
});

test('no list has a schema for each of its places, which readers of the document take for an older form', () => {
  expect(JSON.stringify(document)).not.toContain('"prefixItems"');
});

function patternsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(patternsIn);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'pattern' && typeof each === 'string' ? [each] : patternsIn(each),
  );
}

test.each([...new Set(patternsIn(document))])(
  'the pattern %s is one of ECMA-262, with the u flag and without, and uses nothing that validators lack',
  (pattern) => {
    expect(() => new RegExp(pattern)).not.toThrow();
    expect(() => new RegExp(pattern, 'u')).not.toThrow();
    // Without the flag \p{…} means the letter p; look-behind, named groups and inline flags are not known to all.
    expect(pattern).not.toMatch(/\\[pP]\{|\\u\{|\(\?<|\(\?[a-z]/);
  },
);
