import { mapConcurrently } from '../../../shared/lib/map-concurrently.ts';
import type { MapState, ParallelState } from '../definition/machine.ts';
import { ExecutionInterruptedError, StateError } from './errors.ts';
import { checkPayload } from './payload.ts';
import {
  applyStateExitEffects,
  createExpressionBindings,
  type FlowScope,
  type StateFlowRunner,
  type StateInputAndContext,
  type StateOutputAndNext,
} from './scope.ts';

/** Most iterations of an inline Map that run at once (Step Functions service quotas). */
const MAX_CONCURRENCY = 40;

/** One attempt of a Parallel state: all branches at once; the first failure stops the others. */
export async function runParallelState(
  state: ParallelState,
  scope: FlowScope,
  visit: StateInputAndContext,
  runFlow: StateFlowRunner,
): Promise<StateOutputAndNext> {
  const seen = createExpressionBindings(scope, visit);
  const input = state.arguments ? checkPayload(await state.arguments(seen), 'Arguments') : visit.input;
  const branches = state.branches.map((branch) => (inner: FlowScope) => runFlow(branch, input, inner));
  const result = await together(branches, branches.length, scope);
  const output = await applyStateExitEffects(
    state.effects,
    scope,
    createExpressionBindings(scope, visit, { result }),
    result,
  );
  return { output, next: state.next };
}

/** One attempt of an inline Map state: the processor for each item, results in the order of the items. */
export async function runMapState(
  state: MapState,
  scope: FlowScope,
  visit: StateInputAndContext,
  runFlow: StateFlowRunner,
): Promise<StateOutputAndNext> {
  const seen = createExpressionBindings(scope, visit);
  const items = state.items ? await state.items(seen) : visit.input;
  if (!Array.isArray(items)) throw invalid('Items must be an array', items);
  const concurrency = state.maxConcurrency ? await state.maxConcurrency(seen) : 0;
  if (typeof concurrency !== 'number' || !Number.isInteger(concurrency) || concurrency < 0) {
    throw invalid('MaxConcurrency must be a whole number', concurrency);
  }
  const iterations = items.map((value: unknown, index) => async (inner: FlowScope) => {
    const item = { Map: { Item: { Index: index, Value: value } } };
    const iteration = { ...inner, context: { ...inner.context, ...item } };
    const selected = { ...visit, context: { ...visit.context, ...item } };
    const input = state.itemSelector
      ? await state.itemSelector(createExpressionBindings(scope, selected))
      : value;
    return runFlow(state.processor, checkPayload(input, 'ItemSelector'), iteration);
  });
  const result = await together(iterations, concurrency === 0 ? MAX_CONCURRENCY : concurrency, scope);
  const output = await applyStateExitEffects(
    state.effects,
    scope,
    createExpressionBindings(scope, visit, { result }),
    result,
  );
  return { output, next: state.next };
}

/**
 * Runs `works`, at most `concurrency` at once, each with its own variables. Throws the first error, once all
 * have ended.
 */
async function together(
  works: ReadonlyArray<(inner: FlowScope) => Promise<unknown>>,
  concurrency: number,
  scope: FlowScope,
): Promise<unknown[]> {
  const siblings = new AbortController();
  const signal = AbortSignal.any([scope.signal, siblings.signal]);
  const run = mapConcurrently(Math.min(concurrency, MAX_CONCURRENCY), works, async (work) => {
    if (signal.aborted) return null;
    try {
      return await work({ ...scope, signal, variables: { ...scope.variables } });
    } catch (error) {
      siblings.abort(new ExecutionInterruptedError('ABORTED'));
      throw error;
    }
  });
  await Promise.allSettled([run]);
  scope.signal.throwIfAborted();
  return run;
}

function invalid(expected: string, value: unknown): StateError {
  return new StateError('States.QueryEvaluationError', `${expected}, not ${JSON.stringify(value)}`);
}
