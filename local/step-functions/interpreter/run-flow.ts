import type { ChoiceState, FailState, State, StateFlow, WaitState } from '../definition/machine.ts';
import { StateError } from './errors.ts';
import { runMapState, runParallelState } from './parallel.ts';
import { runStateWithRetryAndCatch, sleep } from './retry-and-catch.ts';
import {
  applyStateExitEffects,
  createExpressionBindings,
  type FlowScope,
  type StateInputAndContext,
  type StateOutputAndNext,
} from './scope.ts';
import { runTaskState } from './task.ts';
import type { CompiledExpressionTemplate, ExpressionBindings } from './template.ts';

/**
 * Runs a flow from its first state to its end. Throws `StateError` when a state fails, or the reason of the
 * scope's signal.
 */
export async function runFlow(flow: StateFlow, input: unknown, scope: FlowScope): Promise<unknown> {
  let step: StateOutputAndNext = { output: input, next: flow.startAt };
  while (step.next !== null) {
    scope.signal.throwIfAborted();
    const state = flow.states.get(step.next);
    if (!state) throw new StateError('States.Runtime', `There is no state "${step.next}".`);
    scope.environment.enter(state.name);
    step = await enter(state, step.output, scope);
  }
  return step.output;
}

function enter(state: State, input: unknown, scope: FlowScope): Promise<StateOutputAndNext> {
  const entered = new Date().toISOString();
  const visitOf = (retries: number): StateInputAndContext => ({
    input,
    context: {
      ...scope.context,
      State: { Name: state.name, EnteredTime: entered, RetryCount: retries },
    },
  });
  switch (state.type) {
    case 'Task':
      return runStateWithRetryAndCatch(state, scope, visitOf, (visit) => runTaskState(state, scope, visit));
    case 'Parallel':
      return runStateWithRetryAndCatch(state, scope, visitOf, (visit) =>
        runParallelState(state, scope, visit, runFlow),
      );
    case 'Map':
      return runStateWithRetryAndCatch(state, scope, visitOf, (visit) =>
        runMapState(state, scope, visit, runFlow),
      );
    case 'Choice':
      return choose(state, scope, visitOf(0));
    case 'Wait':
      return wait(state, scope, visitOf(0));
    case 'Fail':
      return fail(state, createExpressionBindings(scope, visitOf(0)));
    case 'Pass':
    case 'Succeed':
      return pass(state, scope, visitOf(0));
  }
}

async function choose(
  state: ChoiceState,
  scope: FlowScope,
  visit: StateInputAndContext,
): Promise<StateOutputAndNext> {
  const seen = createExpressionBindings(scope, visit);
  for (const choice of state.choices) {
    const holds = await choice.condition(seen);
    if (typeof holds !== 'boolean') {
      const found = `The Condition for "${choice.next}" must be true or false, not a value of type ${typeof holds}`;
      throw new StateError('States.QueryEvaluationError', found);
    }
    if (holds) {
      return {
        output: await applyStateExitEffects(choice.effects, scope, seen, visit.input),
        next: choice.next,
      };
    }
  }
  if (state.defaultNext === undefined) {
    throw new StateError(
      'States.NoChoiceMatched',
      `No choice of "${state.name}" holds and it has no Default.`,
    );
  }
  return {
    output: await applyStateExitEffects(state.effects, scope, seen, visit.input),
    next: state.defaultNext,
  };
}

async function wait(
  state: WaitState,
  scope: FlowScope,
  visit: StateInputAndContext,
): Promise<StateOutputAndNext> {
  const seen = createExpressionBindings(scope, visit);
  await sleep(scope.signal, await waitingTime(state, seen));
  return pass(state, scope, visit);
}

async function waitingTime(state: WaitState, seen: ExpressionBindings): Promise<number> {
  const value = await (state.seconds ?? state.timestamp)?.(seen);
  const milliseconds =
    state.seconds && typeof value === 'number' ? value * 1_000 : Date.parse(String(value)) - Date.now();
  const isValid = state.seconds ? typeof value === 'number' && value >= 0 : typeof value === 'string';
  if (!isValid || !Number.isFinite(milliseconds)) {
    const found = `${state.seconds ? 'Seconds' : 'Timestamp'} is ${JSON.stringify(value)}`;
    throw new StateError('States.QueryEvaluationError', `"${state.name}" cannot wait: ${found}`);
  }
  return Math.max(0, milliseconds);
}

async function pass(
  state: Extract<State, { type: 'Pass' | 'Succeed' | 'Wait' }>,
  scope: FlowScope,
  visit: StateInputAndContext,
): Promise<StateOutputAndNext> {
  const output = await applyStateExitEffects(
    state.effects,
    scope,
    createExpressionBindings(scope, visit),
    visit.input,
  );
  return { output, next: state.next };
}

async function fail(state: FailState, seen: ExpressionBindings): Promise<never> {
  const text = async (template: CompiledExpressionTemplate | undefined) =>
    String((await template?.(seen)) ?? '');
  throw new StateError(await text(state.error), await text(state.cause));
}
