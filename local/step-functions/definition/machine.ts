import type { CompiledExpressionTemplate } from '../interpreter/template.ts';
import type { Retrier } from './schema.ts';
import type { TaskResource } from './task-resource.ts';

/** A definition ready to run: expressions compiled, targets checked. */
export interface CompiledStateMachine extends StateFlow {
  readonly timeoutSeconds: number | undefined;
}

/** States and where they begin: a machine, a branch or an item processor. */
export interface StateFlow {
  readonly startAt: string;
  readonly states: ReadonlyMap<string, State>;
}

/** Effects of leaving a state: its output, if it differs from the default, and its assigned variables. */
export interface StateOutputAndAssignments {
  readonly output: CompiledExpressionTemplate | undefined;
  readonly assign: ReadonlyArray<readonly [variable: string, value: CompiledExpressionTemplate]>;
}

/** `next` is null where the flow ends. */
interface TransitionState {
  readonly name: string;
  readonly effects: StateOutputAndAssignments;
  readonly next: string | null;
}

export interface Catcher {
  readonly errorEquals: readonly string[];
  readonly next: string;
  readonly effects: StateOutputAndAssignments;
}

/** A state whose errors can be retried and caught. */
export interface RetryableState extends TransitionState {
  readonly retry: readonly Retrier[];
  readonly catch: readonly Catcher[];
}

export interface TaskState extends RetryableState {
  readonly type: 'Task';
  readonly resource: TaskResource;
  readonly arguments: CompiledExpressionTemplate | undefined;
  readonly timeoutSeconds: CompiledExpressionTemplate | undefined;
}

export interface ParallelState extends RetryableState {
  readonly type: 'Parallel';
  readonly arguments: CompiledExpressionTemplate | undefined;
  readonly branches: readonly StateFlow[];
}

export interface MapState extends RetryableState {
  readonly type: 'Map';
  readonly items: CompiledExpressionTemplate | undefined;
  readonly itemSelector: CompiledExpressionTemplate | undefined;
  readonly processor: StateFlow;
  readonly maxConcurrency: CompiledExpressionTemplate | undefined;
}

export interface ChoiceState {
  readonly type: 'Choice';
  readonly name: string;
  readonly choices: ReadonlyArray<{
    readonly condition: CompiledExpressionTemplate;
    readonly next: string;
    readonly effects: StateOutputAndAssignments;
  }>;
  readonly defaultNext: string | undefined;
  readonly effects: StateOutputAndAssignments;
}

export interface WaitState extends TransitionState {
  readonly type: 'Wait';
  readonly seconds: CompiledExpressionTemplate | undefined;
  readonly timestamp: CompiledExpressionTemplate | undefined;
}

export interface PassState extends TransitionState {
  readonly type: 'Pass' | 'Succeed';
}

export interface FailState {
  readonly type: 'Fail';
  readonly name: string;
  readonly error: CompiledExpressionTemplate | undefined;
  readonly cause: CompiledExpressionTemplate | undefined;
}

export type State = TaskState | ParallelState | MapState | ChoiceState | WaitState | PassState | FailState;
