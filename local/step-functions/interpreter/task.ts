import { setLongTimeout } from '../../long-timeout.ts';
import type { TaskState } from '../definition/machine.ts';
import { StateError } from './errors.ts';
import { runInterruptibly } from './interruptible.ts';
import { checkPayload } from './payload.ts';
import {
  applyStateExitEffects,
  createExpressionBindings,
  type FlowScope,
  type StateInputAndContext,
  type StateOutputAndNext,
} from './scope.ts';
import type { CompiledExpressionTemplate, ExpressionBindings } from './template.ts';

/** One attempt of a Task state. */
export async function runTaskState(
  state: TaskState,
  scope: FlowScope,
  visit: StateInputAndContext,
): Promise<StateOutputAndNext> {
  const seen = createExpressionBindings(scope, visit);
  const args = state.arguments ? checkPayload(await state.arguments(seen), 'Arguments') : visit.input;
  const timeout = await limit(state.timeoutSeconds, seen, 'TimeoutSeconds');
  const result = checkPayload(await work(state, scope, args, timeout), 'result of the task');
  const output = await applyStateExitEffects(
    state.effects,
    scope,
    createExpressionBindings(scope, visit, { result }),
    result,
  );
  return { output, next: state.next };
}

const work = (
  state: TaskState,
  scope: FlowScope,
  args: unknown,
  timeout: number | undefined,
): Promise<unknown> =>
  runInterruptibly(scope.signal, (resolve, reject) => {
    const expired = () =>
      reject(new StateError('States.Timeout', `The task ran longer than ${timeout} seconds.`));
    const release = timeout === undefined ? () => {} : setLongTimeout(timeout * 1_000, expired);
    scope.environment.call(state.resource, args).then(resolve, reject);
    return release;
  });

/** A time limit in seconds; an expression may give a value that the definition could not be checked for. */
async function limit(
  template: CompiledExpressionTemplate | undefined,
  seen: ExpressionBindings,
  field: string,
): Promise<number | undefined> {
  if (!template) return undefined;
  const value = await template(seen);
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  throw new StateError(
    'States.QueryEvaluationError',
    `${field} must be a whole number of seconds above 0, not ${JSON.stringify(value)}`,
  );
}
