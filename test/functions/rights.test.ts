import { describe, expect, it } from 'vitest';
import { ROUTES, type RouteDefinition, type RouteName } from '../../shared/api/routes.ts';
import {
  OPERATOR_ROLE_NAMES,
  OPERATOR_ROLES,
  type OperatorRight,
} from '../../shared/contract/access/rights.ts';
import { ask } from './fuzz/ask.ts';
import { BODIES, taskFor } from './fuzz/requests.ts';

const ROUTES_OF_OPERATORS = (Object.entries(ROUTES) as [RouteName, RouteDefinition][]).filter(([, route]) =>
  route.callers.includes('operator'),
);
const MINE = JSON.stringify(['https://example.test/']);
const OTHERS = JSON.stringify(['https://example.test/elsewhere', 'https://other.test/']);

/** Asks as an operator whose token has this role and is for these repositories. */
async function as(name: RouteName, role: string, repositories = '') {
  const [body] = BODIES[name] ?? [];
  const identity = { caller: 'operator', task_id: '', attempt: 0, launch: 0, role, repositories };
  const raw = body === undefined ? undefined : JSON.stringify(body);
  return ask(name, taskFor(name, body), { raw, identity });
}

it('every route of operators says what right it needs, and no other does', () => {
  for (const [name, route] of Object.entries(ROUTES) as [RouteName, RouteDefinition][])
    expect([name, route.right !== undefined]).toEqual([name, route.callers.includes('operator')]);
});

describe.each(OPERATOR_ROLE_NAMES)('a token of the role %s', (role) => {
  it.each(ROUTES_OF_OPERATORS.map(([name, { right }]) => [name, right] as const))(
    'may ask for %s where it has the right to %s, else nothing is written',
    async (name, right) => {
      const may = (OPERATOR_ROLES[role] as readonly (OperatorRight | undefined)[]).includes(right);
      const answer = await as(name, role);
      expect(answer.status === 403).toBe(!may);
      if (!may) expect(answer.written).toEqual([]);
    },
  );
});

it('a role that there is not may do nothing', async () => {
  for (const role of ['', 'king', 'constructor']) expect((await as('listTasks', role)).status).toBe(403);
});

describe('a token for some repositories', () => {
  const about = ROUTES_OF_OPERATORS.filter(([, { path }]) => path.includes('{id}')).map(([name]) => name);

  it.each(about)('does as always with tasks of those: %s', async (name) => {
    expect((await as(name, 'admin', MINE)).status).toBe((await as(name, 'admin')).status);
  });

  it.each(about)('finds no task of another: %s', async (name) => {
    const answer = await as(name, 'admin', OTHERS);
    expect([answer.status, answer.written]).toEqual([404, []]);
  });

  it.each(['submitTask', 'submitBatch', 'submitPlan'] as const)(
    'makes none for another: %s',
    async (name) => {
      const answer = await as(name, 'admin', OTHERS);
      expect([answer.status, answer.written]).toEqual([422, []]);
      expect(answer.body).toContain('your token is good for');
    },
  );

  it('lists and claims none of another', async () => {
    expect(JSON.parse((await as('listTasks', 'admin', MINE)).body).tasks).toHaveLength(1);
    expect(JSON.parse((await as('listTasks', 'admin', OTHERS)).body).tasks).toEqual([]);
    expect((await as('claimNext', 'admin', MINE)).status).toBe(200);
    expect((await as('claimNext', 'admin', OTHERS)).status).toBe(404);
    expect((await as('nextTask', 'admin', OTHERS)).status).toBe(404);
  });

  // What a route without a task id must do for such a token. A new route has to be named here.
  const LIMITED = new Set([
    ...['listTasks', 'listReviews', 'listApprovals', 'listRequests', 'getRequest', 'nextTask', 'claimNext'],
    ...['submitTask', 'submitBatch', 'submitPlan', 'submitRequest', 'clarifyRequest', 'approveRequest'],
    ...['rejectRequest', 'qualityFiles', 'qualityFilesFlagged', 'qualityFile', 'status', 'verification'],
  ]);
  it.each(ROUTES_OF_OPERATORS.map(([name]) => name).filter((name) => !about.includes(name)))(
    'learns and changes nothing of all repositories: %s',
    async (name) => {
      if (LIMITED.has(name)) return expect(ROUTES[name]).not.toHaveProperty('isDeploymentWide');
      const answer = await as(name, 'admin', MINE);
      expect([answer.status, answer.written]).toEqual([403, []]);
    },
  );

  it.each(['status', 'verification'] as const)('has totals only: %s', async (name) => {
    const body = JSON.parse((await as(name, 'admin', MINE)).body);
    expect(body.per_role ?? []).toEqual([]);
    expect(body.completions ?? []).toEqual([]);
    expect(body.verification_nudge.recent_unverified).toEqual([]);
  });
});
