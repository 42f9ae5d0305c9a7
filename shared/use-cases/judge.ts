import { Evidence, type Verdict, type VerdictReason } from '../evidence/schema.ts';
import { allJudgements, judgedSignals, needless } from '../judging/asked.ts';
import type { Judgement } from '../judging/judgement.ts';
import type { ObjectStore } from '../store/objects.ts';
import type { TaskStore } from '../store/tasks.ts';
import { attemptNumbered } from '../task/commands/change.ts';
import { recordVerdict } from '../task/commands/verify.ts';
import { cut } from '../task/cut.ts';
import { combine } from '../verdict/combine.ts';
import { reduce } from '../verdict/reduce.ts';

/** Reasons carried from one step to the next, and their bytes as JSON: a state of the machine holds at most 256 KiB. */
const MAX_REASONS = 50;
const MAX_REASONS_BYTES = 100_000;
const MAX_MESSAGE = 1_000;
const MAX_SUBJECT = 300;

function carried(reasons: readonly VerdictReason[]): VerdictReason[] {
  let room = MAX_REASONS_BYTES;
  return reasons
    .slice(0, MAX_REASONS)
    .map(({ code, subject, message }) => ({
      code,
      subject: subject === null ? null : cut(subject, MAX_SUBJECT),
      message: cut(message, MAX_MESSAGE),
    }))
    .filter((reason) => {
      room -= Buffer.byteLength(JSON.stringify(reason));
      return room >= 0;
    });
}

/** What the evidence allows, and whether models are to be asked before it is the verdict. */
export interface Reduced {
  readonly verdict: Verdict;
  readonly ask: boolean;
}

/** Reduces the evidence of an attempt to a verdict, without writing it. */
export async function reduceEvidence(
  id: string,
  attempt: number,
  deps: { tasks: TaskStore; objects: ObjectStore },
): Promise<Reduced> {
  const task = await deps.tasks.require(id);
  const record = attemptNumbered(task, attempt).verification;
  if (!record) throw new Error(`attempt ${attempt} of ${id} has no evidence`);
  const reduced = reduce(Evidence.parse(JSON.parse(await deps.objects.getByDigest(record.key))));
  const verdict = { ...reduced, reasons: carried(reduced.reasons) };
  return { verdict, ask: judgedSignals(task).length > 0 && needless(verdict) === null };
}

/** Joins the verdict of the evidence with what models said and writes the outcome on the attempt, once. */
export async function combineVerdicts(
  id: string,
  attempt: number,
  { verdict: observed, judgements }: { readonly verdict: Verdict; readonly judgements: readonly Judgement[] },
  deps: { tasks: TaskStore; now: Date },
): Promise<Verdict['verdict']> {
  const task = await deps.tasks.require(id);
  const verdict = combine(observed, allJudgements(task, observed, judgements));
  await deps.tasks.change(id, (present) => recordVerdict(present, attempt, verdict, deps.now));
  return verdict.verdict;
}
