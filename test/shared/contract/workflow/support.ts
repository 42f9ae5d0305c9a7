import type { Task } from '../../../../shared/contract/task/task.ts';
import { recordEvidence } from '../../../../shared/control/task-commands/record-verification.ts';
import { evidence, FIXED_NOW, taskInReview } from '../../../support/builders.ts';

/** A task that waits for a person, whose present attempt was done by `holder`. */
export const held = (fields: Partial<Task>, holder: string): Task =>
  taskInReview(
    { lease_holder: holder },
    { hold: { reasons: ['unclear'], since: FIXED_NOW.toISOString() }, ...fields },
  );

/** The same with the evidence of its attempt. */
export function evidenceRecord(of: Task): Task {
  const change = recordEvidence(of, 1, evidence(), 'key', FIXED_NOW);
  if (!change) throw new Error('nothing was written');
  return change.task;
}
