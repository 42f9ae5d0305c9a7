import { expect, it, test } from 'vitest';
import { refusalCodesOf } from '../../shared/api/route-refusals.ts';
import { ROUTES, type RouteDefinition, type RouteName } from '../../shared/api/routes.ts';
import type { RefusalCode } from '../../shared/contract/refusal.ts';
import { CLAIM_RACE_REFUSAL_CODES } from '../../shared/use-cases/work/idempotent-claim.ts';
import { readSourceText } from '../support/refusals/parsed-source.ts';
import { RefusalAnalysis } from '../support/refusals/reachable-refusals.ts';

/** An issue has no dependencies and no key. */
const NOT_BY_ISSUES: readonly RefusalCode[] = [
  'dependency_unknown',
  'dependency_cycle',
  'idempotency_mismatch',
];

/** What a handler catches of what is thrown below it, or never asks for. */
const CAUGHT: Partial<Record<RouteName, readonly RefusalCode[]>> = {
  receiveGitHubEvent: NOT_BY_ISSUES,
  receiveGitLabEvent: NOT_BY_ISSUES,
  nextTask: CLAIM_RACE_REFUSAL_CODES,
  claimNext: CLAIM_RACE_REFUSAL_CODES,
};

/** Refusals that a handler can come to and that its route does not document. */
function undocumented(refusals: RefusalAnalysis): string[] {
  return [...refusals.findHandlerRefusals()].flatMap(([name, codes]) => {
    const allowed: readonly RefusalCode[] = [
      ...refusalCodesOf(ROUTES[name as RouteName]),
      ...(CAUGHT[name as RouteName] ?? []),
    ];
    return [...codes].filter((code) => !allowed.includes(code)).map((code) => `${name}: ${code}`);
  });
}

const refusals = new RefusalAnalysis();
const found = refusals.findHandlerRefusals();

it('finds the handler of every route', () => {
  expect(new Set(found.keys())).toEqual(new Set(Object.keys(ROUTES)));
});

it('no handler can come to a refusal that its route does not document', () => {
  expect(undocumented(refusals)).toEqual([]);
});

test.each(Object.entries(ROUTES) as [RouteName, RouteDefinition][])(
  '%s documents no refusal that its use case cannot come to',
  (name, route) => {
    expect((route.refusalCodes ?? []).filter((code) => !found.get(name)?.has(code))).toEqual([]);
  },
);

it('nothing is refused before a use case that the shape of some route does not document', () => {
  const shapes = Object.values(ROUTES).flatMap((route) => refusalCodesOf({ ...route, refusalCodes: [] }));
  const before = refusals.findFunctionRefusals('functions/api/route-request.ts', 'parseRouteRequest');
  expect([...before].filter((code) => !shapes.includes(code))).toEqual([]);
  expect(before).toContain('unauthenticated');
});

// The analysis goes by the names of methods: `applyCommand` of the work requests counts as that of the tasks.
const CHANGING = [
  'approve',
  'approvePlan',
  'approveRequest',
  'cancel',
  'claimNext',
  'claimTask',
  'clarifyRequest',
  'complete',
  'delivery',
  'deny',
  'evidence',
  'fail',
  'receiveGitHubEvent',
  'receiveGitLabEvent',
  'heartbeat',
].concat([
  'nextTask',
  'requestApproval',
  'progress',
  'rejectPlan',
  'rejectRequest',
  'release',
  'retry',
  'review',
  'verify',
]);

test.each<[string, string, string, string, string[]]>([
  [
    'in a command',
    'shared/control/task-commands/report-work.ts',
    'const attempt = requireLiveLease(task, number, now);\n  const event',
    "if (task.run > 9) throw new Refusal('wrong_base', 'planted');\n  const attempt = requireLiveLease(task, number, now);\n  const event",
    ['heartbeat: wrong_base', 'progress: wrong_base'],
  ],
  [
    'in a private method of a store',
    'shared/store/task-store.ts',
    'const allowed = buildLifecycleEventCondition(TASK_LIFECYCLE, change.event, version);',
    "const allowed = buildLifecycleEventCondition(TASK_LIFECYCLE, change.event, version);\n    if (version > 9) throw new Refusal('bad_cursor', 'planted');",
    CHANGING.map((name) => `${name}: bad_cursor`),
  ],
  [
    'by a helper, in one arm of a condition',
    'shared/use-cases/operate/list-tasks.ts',
    'let after = parseCursor(LISTING, query);',
    "let after = parseCursor(LISTING, query);\n  if (!after) throw invalid([], query.limit > 1 ? 'id_taken' : 'invalid');",
    ['listApprovals: id_taken', 'listReviews: id_taken', 'listTasks: id_taken'],
  ],
])('a refusal that is planted %s is found', (_, file, place, planted, expected) => {
  const text = readSourceText(file);
  expect(text).toContain(place);
  const withPlanted = new RefusalAnalysis((each) =>
    each === file ? text.replace(place, planted) : readSourceText(each),
  );
  expect(new Set(undocumented(withPlanted))).toEqual(new Set(expected));
});
