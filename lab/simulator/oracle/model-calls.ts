import type { JanitorExecutionInput } from '../../../shared/contract/messages/step-messages.ts';
import type { Simulation } from '../simulation.ts';

/** Milliseconds for which nobody else asks; longer than any execution lives. Written down here a second time on purpose. */
const CLAIM = 300_000;

/** Models are paid for each time that they are asked: for one run of an attempt once, and again only when whoever asked must be gone. */
export function checkModelCalls(
  { knowledge, world }: Simulation,
  { task_id, attempt, run }: JanitorExecutionInput,
): void {
  const key = `${task_id}/${attempt}/${run}`;
  const before = knowledge.lastModelCalls.get(key);
  const { now } = world.clock;
  knowledge.lastModelCalls.set(key, now);
  if (before !== undefined && now - before < CLAIM)
    world.reportViolation(
      'models are asked once at a time',
      `about ${key} again after ${(now - before) / 1_000} s`,
    );
}
