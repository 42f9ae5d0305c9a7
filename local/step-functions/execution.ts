import { setLongTimeout } from '../long-timeout.ts';
import { ExecutionInterruptedError, StateError } from './interpreter/errors.ts';
import { runFlow } from './interpreter/run-flow.ts';
import type { StateExecutionCallbacks } from './interpreter/scope.ts';
import type { DeployedMachine } from './machines.ts';

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

/** Longest duration of an Express execution in seconds (Step Functions service quotas). */
const EXPRESS_SECONDS = 300;
/**
 * Most states that one execution may enter. Express has no such limit, but a loop that waits for nothing
 * would never let its time limit be heard.
 */
const MAX_STATES = 25_000;

/** One execution: running, or ended with its result. Times are milliseconds since 1970. */
export interface Execution {
  readonly arn: string;
  readonly name: string;
  readonly deployed: DeployedMachine;
  readonly startedAt: number;
  /** The state that it entered last. */
  state: string | null;
  status: ExecutionStatus;
  stoppedAt: number | undefined;
  output: unknown;
  error: string | undefined;
  cause: string | undefined;
  /** Settles when the execution has ended, however it did. */
  ended: Promise<void>;
  /** Ends it from outside; nothing happens when it has ended already. */
  interrupt(interruption: ExecutionInterruptedError): void;
}

export interface ExecutionRequest {
  readonly arn: string;
  readonly name: string;
  readonly deployed: DeployedMachine;
  /** JSON text. */
  readonly input: string;
}

/** Starts an execution; it runs on its own. */
export function startExecution(request: ExecutionRequest, call: StateExecutionCallbacks['call']): Execution {
  const { arn, name, deployed } = request;
  const controller = new AbortController();
  const execution: Execution = {
    arn,
    name,
    deployed,
    startedAt: Date.now(),
    state: null,
    status: 'RUNNING',
    stoppedAt: undefined,
    output: undefined,
    error: undefined,
    cause: undefined,
    ended: Promise.resolve(),
    interrupt: (interruption) => controller.abort(interruption),
  };
  let states = 0;
  const enter = (state: string): void => {
    if (++states > MAX_STATES)
      throw new StateError('States.Runtime', `The execution entered ${MAX_STATES} states.`);
    execution.state = state;
  };
  execution.ended = run(execution, controller, request.input, { call, enter });
  return execution;
}

async function run(
  execution: Execution,
  controller: AbortController,
  text: string,
  environment: StateExecutionCallbacks,
): Promise<void> {
  const { deployed } = execution;
  const limit = Math.min(deployed.machine.timeoutSeconds ?? EXPRESS_SECONDS, EXPRESS_SECONDS);
  const cancel = setLongTimeout(limit * 1_000, () =>
    controller.abort(new ExecutionInterruptedError('TIMED_OUT')),
  );
  const input: unknown = JSON.parse(text);
  const context = {
    Execution: {
      Id: execution.arn,
      Input: input,
      Name: execution.name,
      StartTime: new Date(execution.startedAt).toISOString(),
      RedriveCount: 0,
    },
    StateMachine: { Id: deployed.arn, Name: deployed.name },
  };
  const scope = { environment, signal: controller.signal, context, variables: {} };
  try {
    execution.output = await runFlow(deployed.machine, input, scope);
    end(execution, 'SUCCEEDED');
  } catch (error) {
    fail(execution, error);
  } finally {
    cancel();
  }
}

function fail(execution: Execution, error: unknown): void {
  if (error instanceof ExecutionInterruptedError) {
    end(execution, error.status, error.error, error.errorCause);
  } else if (error instanceof StateError) {
    end(execution, 'FAILED', error.error, error.errorCause);
  } else {
    end(execution, 'FAILED', 'States.Runtime', error instanceof Error ? error.message : String(error));
  }
}

function end(execution: Execution, status: ExecutionStatus, error?: string, cause?: string): void {
  Object.assign(execution, { status, error, cause, stoppedAt: Date.now() });
}
