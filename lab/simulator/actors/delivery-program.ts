import { type DeliveryAssignment, LaunchAssignment } from '../../../shared/contract/messages/assignment.ts';
import { computeCommitId } from '../../../shared/contract/repository/git-commit.ts';
import { sha256 } from '../../../shared/lib/sha256.ts';
import type { DeliveryInvocation } from '../engines/delivery-invocations.ts';
import { OracleKnowledge } from '../oracle/knowledge.ts';
import { checkPush } from '../oracle/pushes.ts';
import { mergePatchOnto, type SimulatedPatch, serializePatch } from '../simulated-remote.ts';
import type { Simulation } from '../simulation.ts';
import { uploadPatch } from './agent.ts';
import { ApiRefusedError, callRoute, fetchPresigned } from './api-client.ts';
import { rebuildSimulatedTree } from './rebuild-tree.ts';

/** The function that delivers, as the API, the bucket and the repository see it: the same calls in the same order as functions/deliver/. */
export async function runDeliveryProgram(
  { name, assignmentUrl }: DeliveryInvocation,
  of: Simulation,
): Promise<void> {
  const answer = await fetchPresigned(of, 'GET', assignmentUrl);
  if (answer.status === 403 || answer.status === 404) {
    of.world.logEvent(() => `delivery ${name}: another has taken it`);
    return;
  }
  if (answer.status !== 200) throw new Error(`the assignment: ${answer.body}`);
  const assignment = LaunchAssignment.parse(JSON.parse(answer.body));
  if (assignment.kind !== 'deliver') throw new Error(`what delivers is given ${assignment.kind}`);
  const forgotten = await fetchPresigned(of, 'DELETE', assignment.delete_url);
  if (forgotten.status >= 300) throw new Error(`the assignment cannot be removed: HTTP ${forgotten.status}`);
  await deliver(of, assignment);
}

async function deliver(of: Simulation, assignment: DeliveryAssignment): Promise<void> {
  const { task_id: id, token, base_commit, tree, branch } = assignment;
  try {
    await callRoute(of, 'delivery', { id, token, body: { step: 'authorize', base_commit, tree } });
  } catch (error) {
    if (!(error instanceof ApiRefusedError)) throw error;
    of.world.logEvent(() => `no leave to push ${id}: ${error.message}`);
    return;
  }
  const turn = of.knowledge.deliveries.get(id) ?? 0;
  of.knowledge.deliveries.set(id, turn + 1);
  const goneAfter = of.knowledge.plans.get(id)?.lostDeliveries[turn];
  if (goneAfter === 'leave') throw new Error('gone after leave to push');
  const refuse = (reason: string) =>
    callRoute(of, 'delivery', { id, token, body: { step: 'refused', base_commit, tree, reason } });
  const rebuilt = await rebuildSimulatedTree(of, assignment);
  if ('problem' in rebuilt) {
    await refuse(rebuilt.problem);
    return;
  }
  const { message, author, committed_at: at } = assignment;
  const commit = computeCommitId({ tree, parent: base_commit, message, author, at });
  if (assignment.delivery_mode === 'merge_queue') {
    await deliverOnto(of, assignment, rebuilt.patch, commit, goneAfter === 'push');
    return;
  }
  const refused = await of.world.callService(
    'git',
    () => `push ${branch}`,
    () => {
      checkPush(of, id, branch, base_commit, tree);
      return of.remote.push(branch, { commit, base: base_commit, tree });
    },
  );
  if (goneAfter === 'push') throw new Error('gone after the push');
  if (refused === null)
    await callRoute(of, 'delivery', { id, token, body: { step: 'delivered', base_commit, tree, commit } });
  else await refuse(refused);
}

/** Pushes onto the main branch; where that has moved, hands in what becomes of the work there. */
async function deliverOnto(
  of: Simulation,
  assignment: DeliveryAssignment,
  patch: SimulatedPatch,
  commit: string,
  isGone: boolean,
): Promise<void> {
  const { task_id: id, token, base_commit, tree, branch } = assignment;
  const tell = (body: Record<string, unknown>) =>
    callRoute(of, 'delivery', { id, token, body: { base_commit, tree, ...body } });
  const pushed = await of.world.callService(
    'git',
    () => `push ${branch} and main`,
    () => {
      const answer = of.remote.pushOnto(branch, { commit, base: base_commit, tree }, of.world.clock.now);
      if (answer === null) checkPush(of, id, branch, base_commit, tree);
      return answer;
    },
  );
  if (isGone) throw new Error('gone after the push');
  if (pushed === null) await tell({ step: 'delivered', commit });
  else if ('refused' in pushed) await tell({ step: 'refused', reason: pushed.refused });
  else {
    const onto = pushed.moved;
    const merged = mergePatchOnto(patch, onto);
    of.world.logEvent(() => `${id} is behind main: ${merged ? `merged, ${merged.quality}` : 'a conflict'}`);
    if (merged === null) {
      await tell({ step: 'conflict', target_commit: onto, files: ['a'] });
      return;
    }
    const text = serializePatch(merged);
    const patch_sha256 = sha256(text);
    const bytes = Buffer.byteLength(text);
    if ((await uploadPatch(of, { task: id, token }, text, 'merged')) === null) throw new Error('no upload');
    of.knowledge.qualities.set(merged.tree, merged.quality);
    of.knowledge.merged.add(OracleKnowledge.pair(id, merged.tree));
    await tell({
      step: 'merged',
      target_commit: onto,
      merged_tree: merged.tree,
      patch_sha256,
      patch_bytes: bytes,
    });
  }
}
