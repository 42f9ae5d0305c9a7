import type { DeliveryAssignment, GatesAssignment } from '../../../shared/contract/messages/assignment.ts';
import { sha256 } from '../../../shared/lib/sha256.ts';
import { parsePatch, type SimulatedPatch } from '../simulated-remote.ts';
import type { Simulation } from '../simulation.ts';
import { fetchPresigned } from './api-client.ts';

type Rebuilt = { readonly patch: SimulatedPatch } | { readonly problem: string };

/** Base and patch make a tree; it must be the one that was handed in. */
export async function rebuildSimulatedTree(
  of: Simulation,
  assignment: GatesAssignment | DeliveryAssignment,
): Promise<Rebuilt> {
  const { patch_url, patch_sha256, base_commit, tree, task_id } = assignment;
  const answer = await fetchPresigned(of, 'GET', patch_url);
  if (answer.status !== 200) throw new Error(`the patch: HTTP ${answer.status} ${answer.body}`);
  if (sha256(answer.body) !== patch_sha256) return { problem: 'the patch is not the one that was handed in' };
  const patch = parsePatch(answer.body, task_id, base_commit);
  if (!patch || patch.base !== base_commit) return { problem: 'the patch does not apply' };
  return patch.tree === tree ? { patch } : { problem: `base and patch make ${patch.tree}, not ${tree}` };
}
