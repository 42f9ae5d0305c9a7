import type { Simulation } from '../simulation.ts';
import type { APPROVAL_DECISIONS, DecisionPlan, REQUEST_DECISIONS } from '../simulation-plan.ts';
import { callRoute } from './api-client.ts';

type DecisionKind = (typeof APPROVAL_DECISIONS | typeof REQUEST_DECISIONS)[number];

/** Words on requests: the route, and what the answer is a promise of. */
const ON_REQUESTS = {
  yes: { route: 'approveRequest', body: {} },
  no: { route: 'rejectRequest', body: { reason: 'not now' } },
  clarify: { route: 'clarifyRequest', body: { clarification: 'this one only' } },
} as const;
const isOnRequest = (kind: DecisionKind): kind is keyof typeof ON_REQUESTS =>
  Object.hasOwn(ON_REQUESTS, kind);

/**
 * A person's word on what an agent asks leave for, or on a request. `allow_own` is the word of whoever holds the outside agents' tokens:
 * of their own work it must come to nothing.
 */
async function sendDecision(of: Simulation, kind: DecisionKind, id: string): Promise<void> {
  if (isOnRequest(kind)) {
    const { route, body } = ON_REQUESTS[kind];
    // Whether or not its answer comes.
    if (kind === 'yes') of.knowledge.approvedRequests.add(id);
    await callRoute(of, route, { token: of.reviewerToken, id, body });
    if (kind === 'no') of.knowledge.rejectedRequests.add(id);
    return;
  }
  const route = kind === 'deny' ? 'deny' : 'approve';
  const token = kind === 'allow_own' ? of.operatorToken : of.reviewerToken;
  const { body } = await callRoute(of, route, { token, id, body: { reason: 'asked around' } });
  of.knowledge.approvalDecisions.set(
    `${id}/${String(body['number'])}`,
    kind === 'deny' ? 'rejected' : 'approved',
  );
}

/** Lets people say what the plan has them say from now on, each by themselves. A refusal is an answer like any other. */
export function scheduleDecisions(
  of: Simulation,
  words: readonly DecisionPlan<DecisionKind>[],
  id: string,
): void {
  for (const { after, kind } of words)
    of.world.clock.schedule(after, () => {
      of.world.logEvent(() => `a person says ${kind} to ${id}`);
      void sendDecision(of, kind, id).catch((error: unknown) => {
        of.world.logEvent(() => `that (${kind} to ${id}) ends with: ${String(error)}`);
      });
    });
}
