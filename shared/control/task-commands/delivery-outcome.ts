import {
  type DeliveryOutcome,
  deliveryOutcomeKey,
  MAX_DELIVERY_OUTCOMES,
} from '../../contract/task/delivery-outcome.ts';
import type { Task } from '../../contract/task/task.ts';
import { applyTaskEvent, type TaskChange } from './task-change.ts';

/** Writes down what became of delivered work. What is known already, or is one too many, changes nothing. */
export function recordDeliveryOutcome(task: Task, outcome: DeliveryOutcome, now: Date): TaskChange | null {
  const known = task.delivery_outcomes ?? [];
  if (
    known.length >= MAX_DELIVERY_OUTCOMES ||
    known.some((each) => deliveryOutcomeKey(each) === deliveryOutcomeKey(outcome))
  )
    return null;
  return applyTaskEvent(task, 'outcome', now, { delivery_outcomes: [...known, outcome] });
}
