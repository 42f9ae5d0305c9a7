import * as z from 'zod';
import { type CheckOutcome, isConclusiveOutcome } from '../../contract/check-outcome.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';

const JanitorCheck = z.object({
  description: z.string(),
  passed: z.boolean().nullable().describe('Null: it could not be checked, or no model was asked.'),
  detail: z.string(),
});

/** One attempt's verification in the words of the system that this comes from: what `run_janitor` answers there. */
export const VerificationSummary = z
  .object({
    task_id: z.string(),
    passed: z.boolean().nullable().describe('Result in terms of `verify_task`. Null: a reviewer decides.'),
    signal_results: z.array(JanitorCheck),
    guardrail_results: z.array(JanitorCheck).describe('Results of the gates.'),
    judge_verdict: z
      .object({
        verdict: z.enum(['accept', 'retry']),
        confidence: z.number().nullable(),
        feedback: z.string(),
        flagged_for_review: z.boolean(),
      })
      .nullable()
      .describe('Result of `llm_judge`. Null: no model judged.'),
    fix_tasks_created: z.array(z.string()),
  })
  .meta({ id: 'JanitorResult' });
export type VerificationSummary = z.infer<typeof VerificationSummary>;

/** Never a pass for what has no result. */
const passedBy = (outcome: CheckOutcome): boolean | null =>
  isConclusiveOutcome(outcome) ? outcome === 'passed' : null;

/** What a janitor came to about an attempt; null: there is no verdict yet. */
export function summarizeVerification(
  { id, superseded_by, attempts }: Pick<Task, 'id' | 'superseded_by' | 'attempts'>,
  { number, verdict, verification }: Attempt,
): VerificationSummary | null {
  if (!verdict) return null;
  const judgements = verdict.judgements ?? [];
  const ofSignals = judgements.filter(({ kind }) =>
    ['llm_review', 'llm_judge', 'quality_gate'].includes(kind),
  );
  const judge = judgements.find(
    ({ kind, calls, outcome }) => kind === 'llm_judge' && calls !== 0 && isConclusiveOutcome(outcome),
  );
  return {
    task_id: id,
    passed: verdict.verdict === 'refer' ? null : verdict.verdict === 'pass',
    signal_results: [
      ...(verification?.signals ?? []).map(({ type, subject, outcome, detail }) => ({
        description: subject === '' ? type : subject,
        passed: passedBy(outcome),
        detail,
      })),
      ...ofSignals.map(({ subject, outcome, reasons, request_reason: because }) => ({
        description: subject,
        passed: passedBy(outcome),
        detail: reasons.join('; ') || because,
      })),
    ],
    guardrail_results: (verification?.gates ?? []).map(({ name, outcome, detail }) => ({
      description: name,
      passed: passedBy(outcome),
      detail,
    })),
    judge_verdict: judge
      ? {
          verdict: judge.outcome === 'passed' ? 'accept' : 'retry',
          confidence: judge.confidence,
          feedback: judge.reasons.join('; '),
          flagged_for_review: judge.verdict === 'refer',
        }
      : null,
    fix_tasks_created:
      superseded_by !== undefined && attempts.at(-1)?.number === number ? [superseded_by] : [],
  };
}
