import { after } from '../timer.ts';
import { Interruption, StateError } from './interpreter/errors.ts';
import { runFlow } from './interpreter/run.ts';
import type { Environment } from './interpreter/scope.ts';
import type { DeployedMachine } from './machines.ts';

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

export interface HistoryEvent {
  readonly time: number;
  readonly type: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Most events of one execution's history; one more fails it (Step Functions service quotas). It also ends endless loops. */
export const MAX_EVENTS = 25_000;

/** One execution: running, or ended with its result. Times are milliseconds since 1970. */
export interface Execution {
  readonly arn: string;
  readonly name: string;
  readonly deployed: DeployedMachine;
  /** JSON text, as it was given. */
  readonly input: string;
  readonly startedAt: number;
  readonly events: HistoryEvent[];
  status: ExecutionStatus;
  stoppedAt: number | undefined;
  /** JSON text. */
  output: string | undefined;
  error: string | undefined;
  cause: string | undefined;
  /** Settles when the execution has ended, however it did. */
  ended: Promise<void>;
  /** Ends it from outside; nothing happens when it has ended already. */
  interrupt(interruption: Interruption): void;
}

export interface ExecutionRequest {
  readonly arn: string;
  readonly name: string;
  readonly deployed: DeployedMachine;
  readonly input: string;
  /** Longest duration in seconds that the type of the machine allows. */
  readonly timeoutSeconds: number | undefined;
}

/** Starts an execution; it runs on its own. `environmentOf` gives it the world, with its history to write to. */
export function startExecution(
  request: ExecutionRequest,
  environmentOf: (record: Environment['record']) => Environment,
): Execution {
  const { arn, name, deployed, input } = request;
  const controller = new AbortController();
  const execution: Execution = {
    arn,
    name,
    deployed,
    input,
    startedAt: Date.now(),
    events: [],
    status: 'RUNNING',
    stoppedAt: undefined,
    output: undefined,
    error: undefined,
    cause: undefined,
    ended: Promise.resolve(),
    interrupt: (interruption) => controller.abort(interruption),
  };
  const record: Environment['record'] = (type, details) => {
    if (execution.events.length >= MAX_EVENTS) {
      throw new StateError('States.Runtime', `The execution reached ${MAX_EVENTS} events of history.`);
    }
    execution.events.push({ time: Date.now(), type, details });
  };
  execution.ended = run(execution, controller, request, environmentOf(record));
  return execution;
}

async function run(
  execution: Execution,
  controller: AbortController,
  request: ExecutionRequest,
  environment: Environment,
): Promise<void> {
  const { deployed } = request;
  const limit = Math.min(
    deployed.machine.timeoutSeconds ?? Number.POSITIVE_INFINITY,
    request.timeoutSeconds ?? Number.POSITIVE_INFINITY,
  );
  const cancel = Number.isFinite(limit)
    ? after(limit * 1_000, () => controller.abort(new Interruption('TIMED_OUT')))
    : () => {};
  const input: unknown = JSON.parse(execution.input);
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
    environment.record('ExecutionStarted', { input });
    execution.output = JSON.stringify(await runFlow(deployed.machine, input, scope));
    end(execution, 'SUCCEEDED');
  } catch (error) {
    fail(execution, error);
  } finally {
    cancel();
  }
}

function fail(execution: Execution, error: unknown): void {
  if (error instanceof Interruption) {
    end(execution, error.status, error.error, error.errorCause);
  } else if (error instanceof StateError) {
    end(execution, 'FAILED', error.error, error.errorCause);
  } else {
    end(execution, 'FAILED', 'States.Runtime', error instanceof Error ? error.message : String(error));
  }
}

function end(execution: Execution, status: ExecutionStatus, error?: string, cause?: string): void {
  Object.assign(execution, { status, error, cause, stoppedAt: Date.now() });
  const result = status === 'SUCCEEDED' ? { output: execution.output } : { error, cause };
  execution.events.push({ time: Date.now(), type: END_EVENTS[status], details: result });
}

const END_EVENTS: Readonly<Record<ExecutionStatus, string>> = {
  RUNNING: 'ExecutionStarted',
  SUCCEEDED: 'ExecutionSucceeded',
  FAILED: 'ExecutionFailed',
  TIMED_OUT: 'ExecutionTimedOut',
  ABORTED: 'ExecutionAborted',
};
