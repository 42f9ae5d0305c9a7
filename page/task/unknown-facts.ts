import type * as z from 'zod';
import type { AttemptList, AttemptView, TaskView } from '../../shared/api/task-schemas.ts';

/** Outcomes of checks that did not say anything of the work. */
const SAID_NOTHING: readonly string[] = ['could_not_run', 'infra_failed', 'timed_out'];

function ofAttempt(attempt: AttemptView): string[] {
  const { number, verification, verdict, outcome, report } = attempt;
  const of = `Attempt ${number}`;
  const unknown: string[] = [];
  if (attempt.model === null) unknown.push(`${of}: which model did it.`);
  if (report && attempt.usage === null) unknown.push(`${of}: how many tokens it used.`);
  if (report && attempt.cost_usd === null) unknown.push(`${of}: what it cost.`);
  if (report?.status === 'completed' && !verification)
    unknown.push(
      attempt.verification_failure
        ? `${of}: everything about the work; it could not be checked (${attempt.verification_failure.failure_code}).`
        : `${of}: everything about the work; it is not checked yet.`,
    );
  for (const { name, outcome: result } of verification?.gates ?? [])
    if (SAID_NOTHING.includes(result))
      unknown.push(`${of}: what ${name} would say (${result.replaceAll('_', ' ')}).`);
  for (const { subject, outcome: result } of verification?.signals ?? [])
    if (SAID_NOTHING.includes(result))
      unknown.push(`${of}: whether ${subject} holds (${result.replaceAll('_', ' ')}).`);
  if (verification?.truncated)
    unknown.push(`${of}: parts of the evidence that had no room here; all of it is below.`);
  if (verification && !verdict && outcome === null) unknown.push(`${of}: the verdict.`);
  for (const judgement of verdict?.judgements ?? [])
    if (judgement.outcome === 'could_not_run' && judgement.kind !== 'requirements_review')
      unknown.push(`${of}: what a model would say of ${judgement.subject} (${judgement.request_reason}).`);
  return unknown;
}

/** What is not known of a task: so that nobody takes what is missing for what is well. */
export function listUnknownFacts(task: TaskView, chain: z.infer<typeof AttemptList>): string[] {
  const unknown: string[] = [];
  if (task.base_commit === null) unknown.push('Which commit the base is: it is not resolved yet.');
  if (chain.attempts.length === 0) unknown.push('Everything about the work: nobody has begun.');
  unknown.push(...chain.attempts.flatMap(ofAttempt));
  if (task.flagged_unverified)
    unknown.push('Whether the work is right: it was completed without evidence of ours.');
  if (chain.attempts.length > 0 && chain.saved_vs_direct_opus_usd === null)
    unknown.push('What the cascade has saved: a cost of the chain is not known.');
  if (task.status === 'done' && task.delivery === null)
    unknown.push('Where the work went: nothing was delivered.');
  return unknown;
}
