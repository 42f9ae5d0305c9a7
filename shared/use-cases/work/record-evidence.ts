import type * as z from 'zod';
import type { ReportDeliveryBody, ReportEvidenceBody } from '../../api/report-schemas.ts';
import { s3ObjectKeys } from '../../contract/resource-names.ts';
import type { Task } from '../../contract/task/task.ts';
import {
  authorizeDelivery,
  recordDeliveryRefusal,
  recordPushedDelivery,
} from '../../control/task-commands/deliver.ts';
import { recordMerge, recordMergeConflict } from '../../control/task-commands/merge-to-target.ts';
import {
  recordEvidence,
  recordVerificationFailure,
} from '../../control/task-commands/record-verification.ts';
import { recordContainerInterrupted } from '../../control/task-commands/recover.ts';
import { sha256 } from '../../lib/sha256.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { TaskStore } from '../../store/task-store.ts';

/** The gates box hands in what it observed, or why it could not observe anything. The whole evidence goes to S3, its short form to the task. */
export async function recordGatesReport(
  id: string,
  attempt: number,
  body: z.infer<typeof ReportEvidenceBody>,
  deps: { tasks: TaskStore; objects: ObjectStore; now: Date },
): Promise<Task> {
  if (!('evidence' in body))
    return deps.tasks.applyCommand(id, (task) =>
      body.failure_code === 'interrupted'
        ? recordContainerInterrupted(task, attempt, 'gates', body.message, deps.now)
        : recordVerificationFailure(task, attempt, body.failure_code, body.message, deps.now),
    );
  const task = await deps.tasks.require(id);
  const text = JSON.stringify(body.evidence);
  const launch = task.attempts.find((each) => each.number === attempt)?.gates?.number ?? 1;
  const key = s3ObjectKeys.evidence(id, attempt, launch, sha256(text));
  if (recordEvidence(task, attempt, body.evidence, key, deps.now) === null) return task;
  await deps.objects.putIfAbsent(key, text, 'application/json');
  return deps.tasks.applyCommand(task, (each) => recordEvidence(each, attempt, body.evidence, key, deps.now));
}

/** What delivers asks leave, and says what came of it. */
export async function recordDeliveryReport(
  id: string,
  attempt: number,
  body: Exclude<z.infer<typeof ReportDeliveryBody>, { step: 'reverts' }>,
  deps: { tasks: TaskStore; now: Date },
): Promise<Task> {
  return deps.tasks.applyCommand(id, (task) => {
    if (body.step === 'authorize') return authorizeDelivery(task, attempt, body, deps.now);
    if (body.step === 'delivered') return recordPushedDelivery(task, attempt, body, body.commit, deps.now);
    if (body.step === 'merged')
      return recordMerge(
        task,
        attempt,
        body,
        { ...body, tree: body.merged_tree, patch_key: s3ObjectKeys.patch(id, attempt, body.patch_sha256) },
        deps.now,
      );
    if (body.step === 'conflict') return recordMergeConflict(task, attempt, body, body, deps.now);
    return recordDeliveryRefusal(task, attempt, body, body.reason, deps.now);
  });
}
