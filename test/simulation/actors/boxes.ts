import {
  Assignment,
  type DeliverAssignment,
  type GatesAssignment,
} from '../../../shared/messages/assignment.ts';
import { commitId } from '../../../shared/repository/commit.ts';
import { sha256 } from '../../../shared/tokens.ts';
import type { Box } from '../engines/containers.ts';
import { type Examined, Knowledge } from '../oracle/knowledge.ts';
import { checkPush } from '../oracle/push.ts';
import { mergedOnto, type Patch, readPatch, WEAK_BASE, writePatch } from '../remote.ts';
import type { Simulation } from '../simulation.ts';
import { upload, work } from './agent.ts';
import { call, fetched, Refused } from './client.ts';

/** The programs of the boxes, as the API and the bucket see them: the same calls in the same order as containers/. */
export async function boxProgram(box: Box, of: Simulation): Promise<void> {
  const answer = await fetched(of, 'GET', box.assignmentUrl);
  if (answer.status !== 200) throw new Error(`the assignment: ${answer.body}`);
  const assignment = Assignment.parse(JSON.parse(answer.body));
  const forgotten = await fetched(of, 'DELETE', assignment.forget_url);
  if (forgotten.status >= 300) throw new Error(`the assignment cannot be removed: HTTP ${forgotten.status}`);
  if (assignment.kind === 'gates') return gates(of, assignment);
  if (assignment.kind === 'deliver') return deliver(of, assignment);
  const { task_id: task, attempt, token } = assignment;
  const plan = of.knowledge.planOf(task);
  const works = plan?.works ?? [];
  const scripted = works[Math.min(attempt, works.length) - 1];
  of.knowledge.agentTokens.set(task, [...(of.knowledge.agentTokens.get(task) ?? []), token]);
  if (!scripted) return;
  const base = assignment.base_commit;
  await work(of, { task, attempt, token, base, heartbeatSeconds: assignment.heartbeat_s }, scripted).catch(
    (error: unknown) => {
      // As the real box: a refusal means that the attempt is over, and nobody waits for this box.
      if (!(error instanceof Refused) || error.answer.status !== 409) throw error;
    },
  );
}

type Rebuilt = { readonly patch: Patch } | { readonly problem: string };

/** Base and patch make a tree; it must be the one that was handed in. */
async function rebuild(of: Simulation, assignment: GatesAssignment | DeliverAssignment): Promise<Rebuilt> {
  const { patch_url, patch_sha256, base_commit, tree, task_id } = assignment;
  const answer = await fetched(of, 'GET', patch_url);
  if (answer.status !== 200) throw new Error(`the patch: HTTP ${answer.status} ${answer.body}`);
  if (sha256(answer.body) !== patch_sha256) return { problem: 'the patch is not the one that was handed in' };
  const patch = readPatch(answer.body, task_id, base_commit);
  if (!patch || patch.base !== base_commit) return { problem: 'the patch does not apply' };
  return patch.tree === tree ? { patch } : { problem: `base and patch make ${patch.tree}, not ${tree}` };
}

const FOUND = {
  good: 'passed',
  bad: 'failed',
  unclear: 'unclear',
  unchecked: 'unchecked',
  empty: 'failed',
} as const satisfies Record<Patch['quality'], Examined>;

async function gates(of: Simulation, assignment: GatesAssignment): Promise<void> {
  const { task_id: id, token, base_commit, tree } = assignment;
  const rebuilt = await rebuild(of, assignment);
  await of.world.clock.sleep(8_000);
  if ('problem' in rebuilt) {
    await call(of, 'evidence', {
      id,
      token,
      body: { failure_class: 'patch_does_not_apply', message: rebuilt.problem },
    });
    return;
  }
  const { quality } = rebuilt.patch;
  const found: Examined = base_commit === WEAK_BASE ? 'passed' : FOUND[quality];
  of.knowledge.examined.set(Knowledge.pair(base_commit, tree), found);
  of.world.tell(() => `gates of ${id}/${assignment.attempt}: ${found} (${quality})`);
  const outcome = { passed: 'passed', failed: 'failed', unclear: 'inert', unchecked: 'skipped' }[found];
  const gate = {
    name: 'tests',
    outcome,
    kind: 'executed_by_us',
    required: true,
    blocked: false,
    cached: false,
    findings: [],
    detail: `the tests: ${outcome}`,
    duration_ms: 5,
  };
  await call(of, 'evidence', {
    id,
    token,
    body: {
      evidence: {
        schema_version: 1,
        base_commit,
        tree,
        empty_patch: quality === 'empty',
        changed_files: quality === 'empty' ? [] : ['a'],
        signals: [],
        gates: found === 'unchecked' ? [] : [gate],
        gathered_at: new Date().toISOString(),
        duration_ms: 9,
      },
    },
  });
}

async function deliver(of: Simulation, assignment: DeliverAssignment): Promise<void> {
  const { task_id: id, token, base_commit, tree, branch } = assignment;
  try {
    await call(of, 'delivery', { id, token, body: { step: 'authorize', base_commit, tree } });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    of.world.tell(() => `no leave to push ${id}: ${error.message}`);
    return;
  }
  const turn = of.knowledge.deliveries.get(id) ?? 0;
  of.knowledge.deliveries.set(id, turn + 1);
  const goneAfter = of.knowledge.plans.get(id)?.lostDeliveries[turn];
  if (goneAfter === 'leave') throw new Error('gone after leave to push');
  const refuse = (reason: string) =>
    call(of, 'delivery', { id, token, body: { step: 'refused', base_commit, tree, reason } });
  const rebuilt = await rebuild(of, assignment);
  if ('problem' in rebuilt) {
    await refuse(rebuilt.problem);
    return;
  }
  const { message, author, committed_at: at } = assignment;
  const commit = commitId({ tree, parent: base_commit, message, author, at });
  if (assignment.deliver_as === 'merge_queue') {
    await deliverOnto(of, assignment, rebuilt.patch, commit, goneAfter === 'push');
    return;
  }
  const refused = await of.world.outside(
    'git',
    () => `push ${branch}`,
    () => {
      checkPush(of, id, branch, base_commit, tree);
      return of.remote.push(branch, { commit, base: base_commit, tree });
    },
  );
  if (goneAfter === 'push') throw new Error('gone after the push');
  if (refused === null)
    await call(of, 'delivery', { id, token, body: { step: 'delivered', base_commit, tree, commit } });
  else await refuse(refused);
}

/** Pushes onto the main branch; where that has moved, hands in what becomes of the work there. */
async function deliverOnto(
  of: Simulation,
  assignment: DeliverAssignment,
  patch: Patch,
  commit: string,
  isGone: boolean,
): Promise<void> {
  const { task_id: id, token, base_commit, tree, branch } = assignment;
  const tell = (body: Record<string, unknown>) =>
    call(of, 'delivery', { id, token, body: { base_commit, tree, ...body } });
  const pushed = await of.world.outside(
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
    const merged = mergedOnto(patch, onto);
    of.world.tell(() => `${id} is behind main: ${merged ? `merged, ${merged.quality}` : 'a conflict'}`);
    if (merged === null) {
      await tell({ step: 'conflict', onto, files: ['a'] });
      return;
    }
    const text = writePatch(merged);
    const patch_sha256 = sha256(text);
    const bytes = Buffer.byteLength(text);
    if ((await upload(of, { task: id, token }, text, 'merged')) === null) throw new Error('no upload');
    of.knowledge.qualities.set(merged.tree, merged.quality);
    of.knowledge.merged.add(Knowledge.pair(id, merged.tree));
    await tell({ step: 'merged', onto, merged_tree: merged.tree, patch_sha256, patch_bytes: bytes });
  }
}
