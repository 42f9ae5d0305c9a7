import type { Template } from '../interpreter/template.ts';
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
export interface StateExitEffects {
  readonly output: Template | undefined;
  readonly assign: ReadonlyArray<readonly [variable: string, value: Template]>;
}

/** `next` is null where the flow ends. */
interface TransitionState {
  readonly name: string;
  readonly effects: StateExitEffects;
  readonly next: string | null;
}

export interface Catcher {
  readonly errorEquals: readonly string[];
  readonly next: string;
  readonly effects: StateExitEffects;
}

/** A state whose errors can be retried and caught. */
export interface RetryableState extends TransitionState {
  readonly retry: readonly Retrier[];
  readonly catch: readonly Catcher[];
}

export interface TaskState extends RetryableState {
  readonly type: 'Task';
  readonly resource: TaskResource;
  readonly arguments: Template | undefined;
  readonly timeoutSeconds: Template | undefined;
}

export interface ParallelState extends RetryableState {
  readonly type: 'Parallel';
  readonly arguments: Template | undefined;
  readonly branches: readonly StateFlow[];
}

export interface MapState extends RetryableState {
  readonly type: 'Map';
  readonly items: Template | undefined;
  readonly itemSelector: Template | undefined;
  readonly processor: StateFlow;
  readonly maxConcurrency: Template | undefined;
}

export interface ChoiceState {
  readonly type: 'Choice';
  readonly name: string;
  readonly choices: ReadonlyArray<{
    readonly condition: Template;
    readonly next: string;
    readonly effects: StateExitEffects;
  }>;
  readonly defaultNext: string | undefined;
  readonly effects: StateExitEffects;
}

export interface WaitState extends TransitionState {
  readonly type: 'Wait';
  readonly seconds: Template | undefined;
  readonly timestamp: Template | undefined;
}

export interface PassState extends TransitionState {
  readonly type: 'Pass' | 'Succeed';
}

export interface FailState {
  readonly type: 'Fail';
  readonly name: string;
  readonly error: Template | undefined;
  readonly cause: Template | undefined;
}

export type State = TaskState | ParallelState | MapState | ChoiceState | WaitState | PassState | FailState;
