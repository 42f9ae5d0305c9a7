import type * as z from 'zod';
import type { ReportChallengeBody } from '../../api/report-schemas.ts';
import { s3ObjectKeys } from '../../contract/resource-names.ts';
import type { Task } from '../../contract/task/task.ts';
import {
  recordChallenge,
  recordChallengeWithoutAnswer,
} from '../../control/task-commands/record-challenge.ts';
import { recordContainerInterrupted } from '../../control/task-commands/recover.ts';
import { sha256 } from '../../lib/sha256.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { TaskStore } from '../../store/task-store.ts';

/** The challenger hands in its entry, or why it has none. Its whole entry goes to S3. */
export async function recordChallengerReport(
  id: string,
  attempt: number,
  body: z.infer<typeof ReportChallengeBody>,
  deps: { tasks: TaskStore; objects: ObjectStore; now: Date },
): Promise<Task> {
  if (!('entry' in body))
    return deps.tasks.applyCommand(id, (task) =>
      body.failure_code === 'interrupted'
        ? recordContainerInterrupted(task, attempt, 'challenger', body.message, deps.now)
        : recordChallengeWithoutAnswer(task, attempt, 'refused', body.message, deps.now),
    );
  const task = await deps.tasks.require(id);
  const text = JSON.stringify(body.entry);
  const launch = task.attempts.find((each) => each.number === attempt)?.challenger?.number ?? 1;
  const key = s3ObjectKeys.challenge(id, attempt, launch, sha256(text));
  if (recordChallenge(task, attempt, body.entry, key, deps.now) === null) return task;
  await deps.objects.putIfAbsent(key, text, 'application/json');
  return deps.tasks.applyCommand(task, (each) => recordChallenge(each, attempt, body.entry, key, deps.now));
}
