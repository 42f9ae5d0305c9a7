import { setLongTimeout } from '../../long-timeout.ts';
import type { RetryableState } from '../definition/machine.ts';
import type { Retrier } from '../definition/schema.ts';
import { matchesError, StateError } from './errors.ts';
import { runInterruptibly } from './interruptible.ts';
import {
  applyStateExitEffects,
  createExpressionBindings,
  type FlowScope,
  type StateInputAndContext,
  type StateOutputAndNext,
} from './scope.ts';

/**
 * Tries a state until it succeeds, its Retry gives up and its Catch takes over, or neither handles the error.
 */
export async function runStateWithRetryAndCatch(
  state: RetryableState,
  scope: FlowScope,
  visitOf: (retries: number) => StateInputAndContext,
  attempt: (visit: StateInputAndContext) => Promise<StateOutputAndNext>,
): Promise<StateOutputAndNext> {
  const used = new Map<Retrier, number>();
  for (let retries = 0; ; retries++) {
    const visit = visitOf(retries);
    try {
      return await attempt(visit);
    } catch (thrown) {
      if (!(thrown instanceof StateError)) throw thrown;
      const retrier = state.retry.find(({ ErrorEquals }) => matchesError(ErrorEquals, thrown.error));
      const tries = retrier ? (used.get(retrier) ?? 0) : 0;
      if (!retrier || tries >= retrier.MaxAttempts) return await caught(state, scope, visit, thrown);
      used.set(retrier, tries + 1);
      await sleep(scope.signal, retryDelay(retrier, tries));
    }
  }
}

async function caught(
  state: RetryableState,
  scope: FlowScope,
  visit: StateInputAndContext,
  thrown: StateError,
): Promise<StateOutputAndNext> {
  const catcher = state.catch.find(({ errorEquals }) => matchesError(errorEquals, thrown.error));
  if (!catcher) throw thrown;
  const errorOutput = { Error: thrown.error, Cause: thrown.errorCause };
  const seen = createExpressionBindings(scope, visit, { errorOutput });
  return {
    output: await applyStateExitEffects(catcher.effects, scope, seen, errorOutput),
    next: catcher.next,
  };
}

/** Milliseconds before the retry that follows `tries` earlier ones. */
export function retryDelay(retrier: Retrier, tries: number, random: () => number = Math.random): number {
  const backoff = retrier.IntervalSeconds * retrier.BackoffRate ** tries;
  const capped = Math.min(backoff, retrier.MaxDelaySeconds ?? Number.POSITIVE_INFINITY);
  return capped * 1_000 * (retrier.JitterStrategy === 'FULL' ? random() : 1);
}

/** Waits, unless the execution ends first. */
export function sleep(signal: AbortSignal, milliseconds: number): Promise<void> {
  return runInterruptibly<void>(signal, (resolve) => setLongTimeout(milliseconds, () => resolve()));
}
