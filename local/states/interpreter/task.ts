import { after } from '../../timer.ts';
import type { TaskState } from '../definition/machine.ts';
import { StateError } from './errors.ts';
import { interruptible } from './interruptible.ts';
import { payload } from './payload.ts';
import { bindings, leave, type Scope, type Step, type Visit } from './scope.ts';
import type { Bindings, Template } from './template.ts';

/** One attempt of a Task state. */
export async function attemptTask(state: TaskState, scope: Scope, visit: Visit): Promise<Step> {
  const token = state.resource.token ? scope.environment.tokens.create() : undefined;
  const withToken = token ? { ...visit, context: { ...visit.context, Task: { Token: token } } } : visit;
  const seen = bindings(scope, withToken);
  const args = state.arguments ? payload(await state.arguments(seen), 'Arguments') : visit.input;
  const timeout = await limit(state.timeoutSeconds, seen, 'TimeoutSeconds');
  const heartbeat = await limit(state.heartbeatSeconds, seen, 'HeartbeatSeconds');
  const answer = await work(state, scope, args, { token, timeout, heartbeat });
  const result = payload(answer, 'result of the task');
  const output = await leave(state.effects, scope, bindings(scope, visit, { result }), result);
  return { output, next: state.next };
}

interface Limits {
  readonly token: string | undefined;
  readonly timeout: number | undefined;
  readonly heartbeat: number | undefined;
}

function work(state: TaskState, scope: Scope, args: unknown, limits: Limits): Promise<unknown> {
  const { token, timeout, heartbeat } = limits;
  return interruptible(scope.signal, (resolve, reject) => {
    const releases: Array<() => void> = [];
    if (timeout !== undefined) {
      const expired = new StateError('States.Timeout', `The task ran longer than ${timeout} seconds.`);
      releases.push(after(timeout * 1_000, () => reject(expired)));
    }
    const call = scope.environment.call(state.resource, args);
    if (token === undefined) {
      call.then(resolve, reject);
    } else {
      const pulse = watchHeartbeat(heartbeat, reject);
      releases.push(
        pulse.stop,
        scope.environment.tokens.wait(token, {
          succeed: resolve,
          fail: (error, cause) => reject(new StateError(error, cause)),
          heartbeat: pulse.beat,
        }),
      );
      call.catch(reject);
    }
    return () => {
      for (const release of releases) release();
    };
  });
}

/** Rejects with `States.HeartbeatTimeout` when `beat` is not called for that many seconds. */
function watchHeartbeat(seconds: number | undefined, reject: (reason: StateError) => void) {
  let cancel = () => {};
  const beat = () => {
    cancel();
    if (seconds === undefined) return;
    const silent = new StateError('States.HeartbeatTimeout', `No heartbeat came within ${seconds} seconds.`);
    cancel = after(seconds * 1_000, () => reject(silent));
  };
  beat();
  return { beat, stop: () => cancel() };
}

/** A time limit in seconds; an expression may give a value that the definition could not be checked for. */
async function limit(
  template: Template | undefined,
  seen: Bindings,
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
