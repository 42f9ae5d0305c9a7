import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { API_REFUSALS, ProblemDetails } from '../../../shared/api/problem.ts';
import { refusalCodesOf } from '../../../shared/api/route-refusals.ts';
import { ROUTES, type RouteDefinition, type RouteName } from '../../../shared/api/routes.ts';
import type { RefusalCode } from '../../../shared/contract/refusal.ts';
import { jsonPointer } from '../../../shared/contract/refusal.ts';
import { type Answered, type Asked, ask } from './ask.ts';
import { fieldsOf, isInOneOf, objectsOf, type Path, placesOf, withAll, withAt } from './places.ts';
import { BODIES, MEANINGLESS, taskFor } from './requests.ts';
import { HOSTILE, LARGE } from './values.ts';

const MOST_BYTES = 65_536;
const routes = Object.entries(ROUTES) as [RouteName, RouteDefinition][];
const withBody = routes.flatMap(([name]) =>
  (BODIES[name] ?? []).map((body, index) => [name, index, body] as const),
);

/** What is wrong with an answer, whatever was asked; null when nothing is. */
function wrongWith(name: RouteName, { status, headers, body, written }: Answered): string | null {
  const route: RouteDefinition = ROUTES[name];
  if (status >= 200 && status < 300) {
    if (/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(written)))
      return 'text was stored that programs cannot take';
    route.response.parse(JSON.parse(body));
    return null;
  }
  if (status >= 500) return `answered ${status}`;
  if (written.length > 0) return 'refused, and something was stored';
  if (Buffer.byteLength(body) >= MOST_BYTES) return `a problem document of ${Buffer.byteLength(body)} bytes`;
  if (headers['content-type'] !== 'application/problem+json') return 'no problem document';
  const { code } = ProblemDetails.parse(JSON.parse(body));
  if (API_REFUSALS[code as RefusalCode].status !== status) return `${code} with ${status}`;
  return refusalCodesOf(route).includes(code as RefusalCode) ? null : `${code} is not documented`;
}

/** Does one of the errors name this place, what is in it, or what it is in? `null` stands where a union of objects is refused as a whole. */
function names({ body }: Answered, place: string): boolean {
  const { errors = [] } = ProblemDetails.parse(JSON.parse(body));
  const parent = place.slice(0, place.lastIndexOf('/'));
  return errors.some(
    ({ pointer: at }) =>
      at.startsWith(place.slice(0, at.endsWith('…') ? at.length - 1 : undefined)) ||
      place.startsWith(at.replace(/…$/, '')) ||
      at.startsWith(`${parent}/`),
  );
}

async function tryOut(name: RouteName, body: unknown, asked: Asked, place: string): Promise<string[]> {
  const answer = await ask(name, taskFor(name, body), asked);
  const wrong = wrongWith(name, answer);
  if (wrong !== null) return [`${place}: ${wrong}`];
  if (answer.status === 422 && !names(answer, place)) return [`${place}: is not named, but ${answer.body}`];
  return [];
}

test.each(withBody)('%s takes body %i as it is', async (name, index, body) => {
  const answer = await ask(name, taskFor(name, body), { raw: JSON.stringify(body) });
  expect([answer.status, wrongWith(name, answer)]).toEqual([
    MEANINGLESS[name]?.includes(index) ? 422 : (ROUTES[name as 'submitTask'].status ?? 200),
    null,
  ]);
});

describe('whatever is put into a field is taken, or refused with its name, and nothing is stored', () => {
  test.each(withBody)('%s, body %i', async (name, index, body) => {
    const wrong: string[] = [];
    const earlier = BODIES[name]?.slice(0, index) ?? [];
    const places = placesOf(body).filter((path) => !isInOneOf(earlier, body, path));
    const at = async (path: Path, what: string, json: string): Promise<void> => {
      const raw = withAt(body, path, json);
      for (const each of await tryOut(name, body, { raw }, jsonPointer(path)))
        wrong.push(`${each} (${what})`);
    };
    for (const path of places) for (const { what, json } of HOSTILE) await at(path, what, json);
    for (const path of objectsOf(body))
      for (const key of ['__proto__', 'constructor', 'toString', 'unknown', '\0', '\ud800'])
        await at([...path, key], `a field ${JSON.stringify(key)}`, '{"id": "x"}');
    for (const { what, json } of HOSTILE) await at([], what, json);
    for (const path of index === 0 ? [[], ...places.filter(({ length }) => length === 1)] : [])
      for (const { what, json } of LARGE) await at(path, what, json);
    expect(wrong).toEqual([]);
  });
});

const WORDS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '__proto__',
  'constructor',
  'next',
  'batch',
  '..',
  '%00',
  '-',
  '1e-200',
].concat([
  '-1',
  '0',
  '99999999999999999999',
  '\u202e',
  '\u001b[31m',
  'x'.repeat(5_000),
  '{"a":1}',
  '💥'.repeat(500),
]);

describe('whatever stands in path, query and headers', () => {
  const params = routes.flatMap(([name, { path }]) =>
    [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => [name, parameter] as const),
  );
  test.each(params)('%s, {%s}', async (name, parameter) => {
    const body = BODIES[name]?.[0];
    const wrong: string[] = [];
    for (const word of WORDS) {
      const asked = {
        params: { [parameter]: word },
        raw: body === undefined ? undefined : JSON.stringify(body),
      };
      wrong.push(...(await tryOut(name, body, asked, `{${parameter}}`)));
    }
    expect(wrong).toEqual([]);
  });

  const queries = routes.flatMap(([name, { query }]) =>
    query
      ? [...fieldsOf(query), '/unknown', '/__proto__'].map((field) => [name, field.slice(1)] as const)
      : [],
  );
  test.each(queries)('%s, ?%s', async (name, parameter) => {
    const wrong: string[] = [];
    for (const word of WORDS) {
      const query = Object.fromEntries([[parameter, word]]);
      wrong.push(...(await tryOut(name, null, { query }, `?${parameter}`)));
    }
    expect(wrong).toEqual([]);
  });

  test.each(
    routes.flatMap(([name]) =>
      ['idempotency-key', 'if-match', 'if-none-match'].map((each) => [name, each] as const),
    ),
  )('%s, %s', async (name, header) => {
    const body = BODIES[name]?.[0];
    const wrong: string[] = [];
    for (const word of WORDS) {
      const raw = body === undefined ? undefined : JSON.stringify(body);
      const answer = await ask(name, taskFor(name, body), { headers: { [header]: word }, raw });
      const problem = answer.status === 304 ? null : wrongWith(name, answer);
      if (problem !== null) wrong.push(`${JSON.stringify(word)}: ${problem}`);
    }
    expect(wrong).toEqual([]);
  });
});

it('several such values at once, and bodies of any shape', async () => {
  const hostile = fc.constantFrom(...HOSTILE.map(({ json }) => json));
  const anything = fc.oneof(
    hostile,
    fc.json({ maxDepth: 4 }),
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  );
  const bodies = fc.constantFrom(...withBody).chain(([name, , body]) => {
    const puts = fc.array(fc.tuple(fc.constantFrom<Path>([], ...placesOf(body)), anything), {
      minLength: 1,
      maxLength: 4,
    });
    return fc.record({ name: fc.constant(name), body: fc.constant(body), puts });
  });
  await fc.assert(
    fc.asyncProperty(bodies, async ({ name, body, puts }) => {
      expect(wrongWith(name, await ask(name, taskFor(name, body), { raw: withAll(body, puts) }))).toBeNull();
    }),
    { numRuns: 500 },
  );
});
