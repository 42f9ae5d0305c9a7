import { MAX_DELIVERY_OUTCOMES, deliveryOutcomeKey, type DeliveryOutcome } from '../../contract/task/outcome.ts';
import type { Task } from '../../contract/task/task.ts';
import { type TaskChange, applyTaskEvent } from './change.ts';

/** Writes down what became of delivered work. What is known already, or is one too many, changes nothing. */
export function recordDeliveryOutcome(task: Task, outcome: DeliveryOutcome, now: Date): TaskChange | null {
  const known = task.outcomes ?? [];
  if (known.length >= MAX_DELIVERY_OUTCOMES || known.some((each) => deliveryOutcomeKey(each) === deliveryOutcomeKey(outcome)))
    return null;
  return applyTaskEvent(task, 'outcome', now, { outcomes: [...known, outcome] });
}
