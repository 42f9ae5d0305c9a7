import { currentAttempt, type Task } from '../../contract/task/task.ts';
import type { ReviewRow } from './record-rows.ts';

/** Waiting for a person came to its end by this write: null where it did not. */
export function deriveReviewRow(before: Task | null, after: Task): ReviewRow | null {
  const hold = before?.hold;
  if (!before || !hold || after.hold) return null;
  const word = after.review && after.review.at !== before.review?.at ? after.review : null;
  const attempt = currentAttempt(before);
  const at = word?.at ?? after.updated_at;
  const gates = (attempt?.verdict?.reasons ?? [])
    .filter(({ code }) => code.startsWith('gate_'))
    .flatMap(({ subject }) => subject ?? []);
  return {
    record_id: `${after.id}#review#${hold.since}`,
    schema_version: 1,
    task_id: after.id,
    timestamp: at,
    attempt: attempt?.number ?? 0,
    role: after.role,
    repository: after.repository,
    requested_at: hold.since,
    waited_s: Math.max(0, Date.parse(at) - Date.parse(hold.since)) / 1_000,
    decision: word?.decision ?? null,
    by: word?.by ?? null,
    reasons: hold.reasons,
    blocking_gates: [...new Set(gates)].sort(),
    passed_gates: (attempt?.verification?.gates ?? [])
      .filter(({ outcome }) => outcome === 'passed')
      .map(({ name }) => name)
      .sort(),
  };
}
