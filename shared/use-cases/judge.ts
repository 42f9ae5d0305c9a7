import { Evidence, type Verdict } from '../evidence/schema.ts';
import type { ObjectStore } from '../store/objects.ts';
import type { TaskStore } from '../store/tasks.ts';
import { attemptNumbered } from '../task/commands/change.ts';
import { recordVerdict } from '../task/commands/verify.ts';
import { combine } from '../verdict/combine.ts';
import { reduce } from '../verdict/reduce.ts';

/** Reasons carried from one step to the next: a state of the machine holds at most 256 KiB. */
const MAX_REASONS = 50;
const MAX_MESSAGE = 1_000;

/** Reduces the evidence of an attempt to a verdict, without writing it. */
export async function reduceEvidence(
  id: string,
  attempt: number,
  deps: { tasks: TaskStore; objects: ObjectStore },
): Promise<Verdict> {
  const task = await deps.tasks.require(id);
  const record = attemptNumbered(task, attempt).verification;
  if (!record) throw new Error(`attempt ${attempt} of ${id} has no evidence`);
  const verdict = reduce(Evidence.parse(JSON.parse(await deps.objects.getByDigest(record.key))));
  return {
    ...verdict,
    reasons: verdict.reasons
      .slice(0, MAX_REASONS)
      .map((reason) => ({ ...reason, message: reason.message.slice(0, MAX_MESSAGE) })),
  };
}

/** Joins the verdicts and writes the outcome on the attempt, once. */
export async function combineVerdicts(
  id: string,
  attempt: number,
  verdicts: readonly Verdict[],
  deps: { tasks: TaskStore; now: Date },
): Promise<Verdict['verdict']> {
  const verdict = combine(verdicts);
  await deps.tasks.change(id, (task) => recordVerdict(task, attempt, verdict, deps.now));
  return verdict.verdict;
}
