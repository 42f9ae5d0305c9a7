import { MAX_OUTCOMES, outcomeKey, type WorkOutcome } from '../../contract/task/outcome.ts';
import type { Task } from '../../contract/task/task.ts';
import { type Change, change } from './change.ts';

/** Writes down what became of delivered work. What is known already, or is one too many, changes nothing. */
export function recordOutcome(task: Task, outcome: WorkOutcome, now: Date): Change | null {
  const known = task.outcomes ?? [];
  if (known.length >= MAX_OUTCOMES || known.some((each) => outcomeKey(each) === outcomeKey(outcome)))
    return null;
  return change(task, 'outcome', now, { outcomes: [...known, outcome] });
}
