import { expect, it } from 'vitest';
import { ROUTES, type RouteDefinition, type RouteName } from '../../../shared/api/routes.ts';

const TREE = '0'.repeat(40);
const BODIES: Partial<Record<RouteName, Readonly<Record<string, unknown>>>> = {
  review: { decision: 'reject', tree: TREE },
  rejectPlan: { tree: TREE },
};
/** Routes by which a person says no. */
const REJECTIONS = (Object.keys(ROUTES) as RouteName[]).filter(
  (name) => /^(?:reject|deny|review$)/.test(name) && ROUTES[name].method === 'POST',
);

it('covers every route that rejects', () => {
  expect(REJECTIONS).toEqual(expect.arrayContaining(['deny', 'rejectPlan', 'rejectRequest']));
  expect(REJECTIONS.length).toBeGreaterThanOrEqual(4);
});

it.each(REJECTIONS)('%s needs a reason that can be read', (name) => {
  const accepts = (reason: string | undefined) =>
    (ROUTES[name] as RouteDefinition).body?.safeParse({
      ...BODIES[name],
      ...(reason !== undefined && { reason }),
    }).success;
  for (const reason of [
    undefined,
    '',
    '  \n',
    '\u200b',
    '\u00ad\u2060',
    '\u2800',
    '\u3164',
    '\ufe0f',
    '\u0000',
  ])
    expect(accepts(reason), JSON.stringify(reason)).toBe(false);
  for (const reason of ['no', '不', '👎', 'नहीं']) expect(accepts(reason), reason).toBe(true);
});
