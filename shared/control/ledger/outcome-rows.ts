import { deliveryOutcomeKey } from '../../contract/task/delivery-outcome.ts';
import { currentAttempt, findJudgedAttempt, type Task } from '../../contract/task/task.ts';
import type { WorkOutcomeRow } from './record-rows.ts';
import { recordedAuthor } from './recorded-author.ts';

/** What has become known, by this write, of delivered work. */
export function deriveWorkOutcomeRows(before: Task | null, after: Task): WorkOutcomeRow[] {
  const known = new Set((before?.delivery_outcomes ?? []).map(deliveryOutcomeKey));
  const present = currentAttempt(after);
  const attempt = present && findJudgedAttempt(after, present);
  return (after.delivery_outcomes ?? [])
    .filter((each) => !known.has(deliveryOutcomeKey(each)))
    .map((each) => ({
      record_id: `${after.id}#outcome#${deliveryOutcomeKey(each)}`,
      schema_version: 1,
      task_id: after.id,
      timestamp: new Date(each.at).toISOString(),
      outcome: each.outcome,
      role: after.role,
      repository: after.repository,
      attempt: attempt?.number ?? 0,
      model: attempt?.model ?? null,
      verified: after.verified,
      approved: after.review?.decision === 'approve',
      author: recordedAuthor(after),
      by: each.by,
      request: each.request,
      commit: each.commit,
      tree: after.delivery?.tree ?? null,
      passed_gates: (attempt?.verification?.gates ?? [])
        .filter(({ outcome }) => outcome === 'passed')
        .map(({ name }) => name),
    }));
}
