import { describe, expect, test } from 'vitest';
import { PATH_PARAMETERS, ROUTES, type RouteDefinition } from '../../../shared/api/routes.ts';
import { RESERVED_TASK_IDS } from '../../../shared/contract/submission/schema.ts';

const routes = Object.values(ROUTES) as RouteDefinition[];
const isParameter = (segment: string): boolean => segment.startsWith('{');

const takes = (parameter: string, word: string): boolean =>
  PATH_PARAMETERS[parameter.slice(1, -1) as keyof typeof PATH_PARAMETERS].safeParse(word).success;
/** Whether one request can have a segment that both stand for. */
const meet = (one: string, other: string): boolean =>
  one === other || (isParameter(one) && takes(one, other)) || (isParameter(other) && takes(other, one));

/** Fixed words that stand where a parameter of another route stands, behind the same beginning. */
function shadows(): { word: string; parameter: string }[] {
  const paths = routes.map(({ path }) => path.split('/').slice(1));
  return paths.flatMap((path) =>
    path.flatMap((segment, at) => {
      if (!isParameter(segment)) return [];
      const same = (other: readonly string[]): boolean =>
        path.slice(0, at).every((each, index) => meet(each, other[index] ?? ''));
      return paths
        .filter((other) => other[at] !== undefined && !isParameter(other[at]) && same(other))
        .map((other) => ({ word: other[at] ?? '', parameter: segment.slice(1, -1) }));
    }),
  );
}

describe('no value of a path parameter can be taken for a fixed word of another path', () => {
  test('the table has such words', () => {
    expect(shadows().length).toBeGreaterThan(0);
  });

  test.each(shadows())('$word as $parameter', ({ word, parameter }) => {
    expect(takes(`{${parameter}}`, word)).toBe(false);
  });

  test('words are reserved only where one stands', () => {
    expect([...new Set(shadows().map(({ word }) => word))].sort()).toEqual([...RESERVED_TASK_IDS]);
  });
});
