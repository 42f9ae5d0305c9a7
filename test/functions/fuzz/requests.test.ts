import { expect, test } from 'vitest';
import { ROUTES, type RouteDefinition, type RouteName } from '../../../shared/api/routes.ts';
import { fieldsOf, namesOf } from './places.ts';
import { BODIES } from './requests.ts';

const routes = Object.entries(ROUTES) as [RouteName, RouteDefinition][];

test.each(routes.filter(([, route]) => route.body !== undefined))(
  'the bodies of %s have every field of its schema',
  (name, route) => {
    const known = namesOf(BODIES[name] ?? []);
    const fields = route.body ? [...fieldsOf(route.body)] : [];
    expect(fields.filter((field) => !known.has(field))).toEqual([]);
  },
);
