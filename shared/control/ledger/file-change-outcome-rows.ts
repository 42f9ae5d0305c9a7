import type { Attempt } from '../../contract/task/attempt.ts';
import { deliveryOutcomeKey } from '../../contract/task/delivery-outcome.ts';
import { currentAttempt, findJudgedAttempt, type Task } from '../../contract/task/task.ts';
import type { FileChangeOutcomeRow } from './record-rows.ts';

const FILE_OUTCOME_OF: Partial<Record<NonNullable<Attempt['outcome']>, FileChangeOutcomeRow['outcome']>> = {
  passed: 'accepted',
  unverified: 'accepted',
  failed: 'rejected',
};
const fileOutcome = (attempt: Attempt | undefined): FileChangeOutcomeRow['outcome'] | null =>
  (attempt?.verification && attempt.outcome && FILE_OUTCOME_OF[attempt.outcome]) || null;

function rowsOf(
  task: Task,
  attempt: Attempt,
  {
    id,
    at,
    outcome,
  }: { readonly id: string; readonly at: string; readonly outcome: FileChangeOutcomeRow['outcome'] },
): FileChangeOutcomeRow[] {
  const { files_with_findings: files = [], files_omitted: more = 0 } = attempt.verification ?? {};
  return files.map(({ path, finding_count: findings, flaky_test_count: flaky }, index) => ({
    record_id: `${task.id}#${id}#file#${index}`,
    schema_version: 1,
    task_id: task.id,
    timestamp: at,
    attempt: attempt.number,
    repository: task.repository,
    path,
    outcome,
    findings,
    flaky_tests: flaky,
    model: attempt.model,
    tree: attempt.verification?.tree ?? '',
    files_omitted: more,
  }));
}

/** What became, by this write, of changes to files: an attempt was accepted or rejected on evidence, or its work was reverted. */
export function deriveFileChangeOutcomeRows(before: Task | null, after: Task): FileChangeOutcomeRow[] {
  const judged = after.attempts.flatMap((attempt) => {
    const outcome = fileOutcome(attempt);
    const known = fileOutcome(before?.attempts.find(({ number }) => number === attempt.number));
    const at = attempt.ended_at ?? after.updated_at;
    return outcome && !known ? rowsOf(after, attempt, { id: String(attempt.number), at, outcome }) : [];
  });
  const present = currentAttempt(after);
  const delivered = present && findJudgedAttempt(after, present);
  const told = new Set((before?.delivery_outcomes ?? []).map(deliveryOutcomeKey));
  const reverted = (after.delivery_outcomes ?? [])
    .filter((each) => each.outcome === 'reverted' && !told.has(deliveryOutcomeKey(each)))
    .flatMap((each) =>
      delivered
        ? rowsOf(after, delivered, {
            id: `outcome#${deliveryOutcomeKey(each)}`,
            at: new Date(each.at).toISOString(),
            outcome: 'reverted',
          })
        : [],
    );
  return [...judged, ...reverted];
}
