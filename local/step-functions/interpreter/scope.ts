import type { StateFlow, StateOutputAndAssignments } from '../definition/machine.ts';
import type { TaskResource } from '../definition/task-resource.ts';
import { checkPayload } from './payload.ts';
import type { ExpressionBindings } from './template.ts';

/** The environment of an execution. */
export interface StateExecutionCallbacks {
  /** Calls the resource of a Task and returns the answer. @throws StateError. */
  call(resource: TaskResource, args: unknown): Promise<unknown>;
  /** Called for each state that is entered. @throws StateError if there are too many. */
  enter(state: string): void;
}

/** One flow while it runs: a machine, a branch or an iteration. */
export interface FlowScope {
  readonly environment: StateExecutionCallbacks;
  readonly signal: AbortSignal;
  /** `Execution` and `StateMachine` of the context object, and `Map` inside an iteration. */
  readonly context: Readonly<Record<string, unknown>>;
  /**
   * Variables that the flow sees; those of the flows around it are copied in, for they cannot change
   * meanwhile.
   */
  readonly variables: Record<string, unknown>;
}

/** The content of `$states` while a state is visited. */
export interface StateInputAndContext {
  readonly input: unknown;
  readonly context: Readonly<Record<string, unknown>>;
}

/** Result of a state: its output, and the next state or null for the end of the flow. */
export interface StateOutputAndNext {
  readonly output: unknown;
  readonly next: string | null;
}

/** Runs a flow to its end and returns its output. Throws `StateError` or `ExecutionInterruptedError`. */
export type StateFlowRunner = (flow: StateFlow, input: unknown, scope: FlowScope) => Promise<unknown>;

/** Creates the bindings for the expressions of a state. `more` adds `result` or `errorOutput`. */
export function createExpressionBindings(
  scope: FlowScope,
  visit: StateInputAndContext,
  more: Readonly<Record<string, unknown>> = {},
): ExpressionBindings {
  return { ...scope.variables, states: { ...visit, ...more } };
}

/**
 * Evaluates the effects of leaving a state. Output and Assign both use the previous values of the variables.
 */
export async function applyStateExitEffects(
  effects: StateOutputAndAssignments,
  scope: FlowScope,
  seen: ExpressionBindings,
  otherwise: unknown,
): Promise<unknown> {
  const output = checkPayload(effects.output ? await effects.output(seen) : otherwise, 'Output');
  const assigned: Record<string, unknown> = {};
  for (const [variable, value] of effects.assign) {
    assigned[variable] = checkPayload(await value(seen), `Assign.${variable}`);
  }
  Object.assign(scope.variables, assigned);
  return output;
}
