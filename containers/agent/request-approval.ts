import type { ContainerApiClient } from '../../shared/api/container-client.ts';
import type { ApprovalRequest } from '../../shared/contract/approval/schema.ts';
import type { AgentSession } from './agent-session.ts';
import { removeApprovalRequest } from './approval-request.ts';

/** Asks for leave, with the work so far. What the agent is told when it has it at once; null: a person decides. */
export async function postApprovalRequest(
  client: ContainerApiClient,
  ask: ApprovalRequest,
  snapshotOf: () => Promise<{ readonly tree: string; readonly patch: Buffer }>,
  sessionOf: () => Promise<{ readonly id: string; readonly sha256: string } | null>,
): Promise<string | null> {
  const { tree, patch } = await snapshotOf();
  const work =
    patch.length === 0
      ? {}
      : {
          parked_work: { tree, patch_sha256: await client.upload('patch', patch), patch_bytes: patch.length },
        };
  const session = await sessionOf();
  const { approval, status } = await client.post('requestApproval', {
    ...ask,
    ...work,
    ...(session && { parked_session: session }),
  });
  if (status === 'auth_required') return null;
  const { describeApprovalDecision } = await import('../../shared/control/approvals/approval-message.ts');
  return describeApprovalDecision(approval);
}

/** Lets an agent that has ended with a question go on with its answer, as often as it asks and is answered at once. One that still `asks` then has to wait. */
export async function runWithApprovalRequests(
  first: AgentSession,
  to: {
    /** Where the question lies. */
    readonly path: string;
    readonly ask: (ask: ApprovalRequest, session: AgentSession) => Promise<string | null>;
    readonly again: (words: string, before: AgentSession) => Promise<AgentSession>;
  },
): Promise<AgentSession> {
  let session = first;
  while (session.approvalRequest) {
    const words = await to.ask(session.approvalRequest, session);
    if (words === null) return session;
    await removeApprovalRequest(to.path);
    session = await to.again(words, session);
  }
  return session;
}
