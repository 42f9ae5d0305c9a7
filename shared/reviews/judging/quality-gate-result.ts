import type { Task } from '../../contract/task/task.ts';
import type { QualityGateResult } from './circuit-breaker.ts';

/**
 * What a write tells the breaker of the model that wrote: a mark of the quality gate that was not there before. What was rejected
 * without a model, and what nobody could mark, counts for nobody.
 */
export function newQualityGateResult(
  before: Task | null,
  after: Task,
): (QualityGateResult & { readonly model: string }) | null {
  const attempt = after.attempts.at(-1);
  if (!attempt?.verdict || attempt.model === null) return null;
  const earlier = before?.attempts.find(({ number }) => number === attempt.number);
  if (earlier?.verdict) return null;
  const mark = attempt.verdict.judgements?.find(({ score }) => score !== undefined);
  if (!mark) return null;
  return {
    id: `${after.id}#${attempt.number}`,
    at: after.updated_at,
    passed: mark.outcome === 'passed',
    model: attempt.model,
  };
}
