import type * as z from 'zod';
import type { GatesCacheUrlsBody, RequestUploadUrlBody } from '../../api/report-schemas.ts';
import type { ApiCaller } from '../../api/route.ts';
import type { GatesCacheKind } from '../../contract/messages/gates-memory.ts';
import { Refusal } from '../../contract/refusal.ts';
import { s3ObjectKeys } from '../../contract/resource-names.ts';
import type { Task } from '../../contract/task/task.ts';
import { requireRunningAttempt } from '../../control/task-commands/task-change.ts';
import { sha256 } from '../../lib/sha256.ts';
import type { ObjectStore, PresignedUpload } from '../../store/object-store.ts';
import type { UploadQuotaStore } from '../../store/upload-quota.ts';

/** Leave to put exactly these bytes at their own place. Refused when the attempt has ended or has had enough. */
export async function presignAttemptUpload(
  task: Task,
  number: number,
  content: z.infer<typeof RequestUploadUrlBody>,
  deps: { readonly uploads: UploadQuotaStore; readonly objects: ObjectStore; readonly now: Date },
): Promise<PresignedUpload> {
  const attempt = requireRunningAttempt(task, number);
  const launch = attempt.gates?.number ?? 1;
  const key = {
    patch: () => s3ObjectKeys.patch(task.id, number, content.sha256),
    transcript: () => s3ObjectKeys.transcript(task.id, number, content.sha256),
    session: () => s3ObjectKeys.session(task.id, number, content.sha256),
    merged: () => s3ObjectKeys.patch(task.id, number, content.sha256),
    findings: () => s3ObjectKeys.findings(task.id, number, launch, content.sha256),
    tests: () => s3ObjectKeys.tests(task.id, number, launch, content.sha256),
    screenshot: () => s3ObjectKeys.screenshot(task.id, number, content.sha256),
  }[content.kind]();
  await deps.uploads.consume(task.id, number, deps.now);
  return deps.objects.presignUpload(key, content);
}

/** Kinds of memory that change; all others are written once. */
const CHANGING: readonly GatesCacheKind[] = ['history', 'facts', 'counterexamples'];

/**
 * Returns URLs at which gates keep something for later tasks of the repository. A challenger keeps counterexamples only: it must not
 * read the exam of the task.
 * @throws Refusal for another kind
 */
export async function presignGatesMemoryEntry(
  task: Task,
  caller: ApiCaller,
  { kind, hash }: z.infer<typeof GatesCacheUrlsBody>,
  objects: ObjectStore,
): Promise<{ get: string; put: string }> {
  if (caller === 'challenger' && kind !== 'counterexamples')
    throw new Refusal('forbidden', `memory of kind ${kind} is not for a challenger`, [
      { pointer: '/kind', message: 'is not for a challenger' },
    ]);
  const key = s3ObjectKeys.memory(sha256(task.repository), kind, hash);
  const [get, put] = await Promise.all([
    objects.presignGet(key),
    objects.presignPut(key, !CHANGING.includes(kind)),
  ]);
  return { get, put };
}
