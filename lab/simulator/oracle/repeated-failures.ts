import type { Attempt } from '../../../shared/contract/task/attempt.ts';
import type { Task } from '../../../shared/contract/task/task.ts';
import type { Simulation } from '../simulation.ts';

type ReportViolation = (invariant: string, message: string) => void;

/** So many others make a task a foundation; written down here a second time on purpose. */
const OTHERS = 3;

const describeStrategy = ({ tier, model, adapter, effort }: Attempt): string =>
  JSON.stringify([tier, model, adapter ?? null, effort]);

/** What failed twice in the same way is not done a third time as it was: by somebody else, harder, in a smaller step, or not at all. */
export function checkRepeatedFailure(before: Task, after: Task, broken: ReportViolation): void {
  const [last, next] = [before.attempts.at(-1), after.attempts.at(-1)];
  if (after.attempts.length <= before.attempts.length || !last || !next || next.merge || last.merge) return;
  // A person's word on the work, or a new round, is a change of its own.
  if (last.number < after.first_budgeted_attempt || before.review || last.outcome !== 'failed') return;
  const fingerprint = last.failure?.signature;
  const isAgain = before.attempts.some(
    ({ number, failure }) =>
      fingerprint !== undefined &&
      number >= after.first_budgeted_attempt &&
      number < last.number &&
      failure?.signature === fingerprint,
  );
  if (
    isAgain &&
    describeStrategy(last) === describeStrategy(next) &&
    last.decision?.strategy !== 'smaller_task'
  )
    broken('the same failure twice changes something', `${after.id}/${next.number} is as ${last.number} was`);
}

/** A task has one attempt more, and a point less to reach, only where others build on it; and it goes on saying so. */
export function checkFoundation(of: Simulation, before: Task, after: Task, broken: ReportViolation): void {
  if (before.foundation && JSON.stringify(before.foundation) !== JSON.stringify(after.foundation))
    broken('a foundation stays what it is', `${after.id} no longer says that others build on it`);
  if (before.foundation || !after.foundation) return;
  const others = of.cloud.table
    .items()
    .filter((item) => item['sk'] === 'task' && (item['depends_on'] as string[]).includes(after.id)).length;
  if (others < OTHERS || others < after.foundation.dependents)
    broken('a foundation is what others build on', `${others} depend on ${after.id}`);
}
