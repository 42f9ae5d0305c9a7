import type { Attempt } from '../../contract/task/attempt.ts';
import { outcomeKey } from '../../contract/task/outcome.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import type { FileRow } from './rows.ts';

const JUDGED: Partial<Record<NonNullable<Attempt['outcome']>, FileRow['outcome']>> = {
  passed: 'accepted',
  unverified: 'accepted',
  failed: 'rejected',
};
const wordOf = (attempt: Attempt | undefined): FileRow['outcome'] | null =>
  (attempt?.verification && attempt.outcome && JUDGED[attempt.outcome]) || null;

function rowsOf(
  task: Task,
  attempt: Attempt,
  { id, at, outcome }: { readonly id: string; readonly at: string; readonly outcome: FileRow['outcome'] },
): FileRow[] {
  const { files = [], files_more: more = 0 } = attempt.verification ?? {};
  return files.map(({ path, findings, flaky }, index) => ({
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
    more_files: more,
  }));
}

/** What became, by this write, of changes to files: an attempt was accepted or rejected on evidence, or its work was reverted. */
export function fileRows(before: Task | null, after: Task): FileRow[] {
  const judged = after.attempts.flatMap((attempt) => {
    const outcome = wordOf(attempt);
    const known = wordOf(before?.attempts.find(({ number }) => number === attempt.number));
    const at = attempt.ended_at ?? after.updated_at;
    return outcome && !known ? rowsOf(after, attempt, { id: String(attempt.number), at, outcome }) : [];
  });
  const delivered = currentAttempt(after);
  const told = new Set((before?.outcomes ?? []).map(outcomeKey));
  const reverted = (after.outcomes ?? [])
    .filter((each) => each.what === 'reverted' && !told.has(outcomeKey(each)))
    .flatMap((each) =>
      delivered
        ? rowsOf(after, delivered, {
            id: `outcome#${outcomeKey(each)}`,
            at: new Date(each.at).toISOString(),
            outcome: 'reverted',
          })
        : [],
    );
  return [...judged, ...reverted];
}
