import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../gates/core/configuration-error.ts';
import type { TakenShot } from '../../gates/core/gate.ts';
import { gatherEvidence } from '../../gates/pipeline/gather.ts';
import type { TestRunOfGate } from '../../gates/pipeline/output/junit.ts';
import { type BoxClient, createBoxClient } from '../../shared/api/box-client.ts';
import type { FailureClass } from '../../shared/contract/failure/failure-class.ts';
import type { GatesAssignment } from '../../shared/contract/messages/assignment.ts';
import { changesBetween, touchedPaths } from '../../workspace/git/changes.ts';
import { CheckoutError } from '../../workspace/git/error.ts';
import { shownPath } from '../../workspace/git/path-bytes.ts';
import type { Box } from '../../workspace/supervisor/box.ts';
import { rebuildTree } from '../../workspace/supervisor/rebuild.ts';
import { storeFindings, storeShots, storeTests } from './artifacts.ts';
import { fitting } from './fitting.ts';
import { hiddenTestsOf } from './hidden.ts';
import { imageId } from './image.ts';
import { judgeOf } from './judge.ts';
import { bucketMemory } from './memory.ts';
import { checkToolchain } from './toolchain.ts';
import { upstreamOf } from './upstream.ts';

/** Gathers evidence on the tree that was handed in, and reports it, or why there is none. */
export async function runGates(assignment: GatesAssignment, box: Box): Promise<void> {
  const client = createBoxClient(assignment);
  try {
    const store = await rebuildTree(assignment, box);
    // On the embedded default there are no images: what is on the machine is what there is.
    if (!box.embedded) await checkToolchain(store, assignment);
    if (assignment.plan) {
      const { planEvidence } = await import('./plan.ts');
      const { base_commit: base, tree } = assignment;
      const changed = touchedPaths(await changesBetween(store, base, tree)).map(shownPath);
      await client.post('evidence', { evidence: await planEvidence(store, assignment, box, changed) });
      return;
    }
    const rooms = join(box.workDir, 'rooms');
    await mkdir(rooms, { mode: 0o711 });
    const memory = bucketMemory(client);
    const suites: TestRunOfGate[] = [];
    const shots: TakenShot[] = [];
    const evidence = await gatherEvidence({
      store,
      base: assignment.base_commit,
      tree: assignment.tree,
      signals: assignment.signals,
      files: assignment.files,
      expects: assignment.expects,
      task: {
        id: assignment.task_id,
        title: assignment.title,
        description: assignment.description,
        writer: assignment.model,
      },
      judge: await judgeOf(assignment),
      hidden: await hiddenTestsOf(store, assignment, box),
      workDir: rooms,
      users: box.users,
      abort: box.abort,
      upstream: () => upstreamOf(store, assignment, box),
      memory,
      image: imageId,
      repository: assignment.repository,
      onTests: (gate, tests) => suites.push({ gate, tests }),
      onShots: (_gate, taken) => shots.push(...taken),
    });
    // Commands that were stopped say nothing of the patch.
    if (box.abort.aborted) return await interrupted(client);
    const [shown] = await Promise.all([
      storeShots(client, evidence, shots),
      storeFindings(client, evidence),
      storeTests(client, suites),
    ]);
    await client.post('evidence', { evidence: fitting(shown) });
  } catch (error) {
    if (box.abort.aborted) await interrupted(client);
    else await reportFailure(client, error);
  }
}

/** The container is being taken away: nobody is to blame, and another gathers the evidence. */
async function interrupted(client: BoxClient): Promise<void> {
  const message = 'the container was told to end';
  await client.post('evidence', { failure_class: 'interrupted', message }, { patienceMs: 30_000 });
}

async function reportFailure(client: BoxClient, error: unknown): Promise<void> {
  const failureClass = classOf(error);
  if (!failureClass || !(error instanceof Error)) throw error;
  await client.post('evidence', { failure_class: failureClass, message: error.message.slice(0, 4_000) });
}

/** Null for what is not about the task: then the box ends with an error and counts as lost. */
const classOf = (error: unknown): FailureClass | null => {
  if (error instanceof ConfigError) return 'config_invalid';
  if (error instanceof CheckoutError && error.failureClass !== 'unknown') return error.failureClass;
  return null;
};
