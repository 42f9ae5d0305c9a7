import { randomUUID } from 'node:crypto';
import type { UnknownRecord } from '../resource-properties.ts';
import { ServiceError } from '../service-actions.ts';
import type { OperationCounters } from '../shared-types.ts';
import { type Execution, startExecution } from './execution.ts';
import { callServiceIntegration, type IntegratedServices } from './integrations/index.ts';
import { ExecutionInterruptedError } from './interpreter/errors.ts';
import { isPayloadTooLarge } from './interpreter/payload.ts';
import type { DeployedMachine } from './machines.ts';

/** Durations are billed in steps of this many milliseconds. */
const BILLED_STEP_MS = 100;
/** Ended executions that are kept for display. */
const KEPT = 1_000;
/** Valid names of executions (API reference of StartExecution). */
const NAME = /^[^\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}]{1,80}$/u;

export interface Executions {
  /** Starts an execution. Names of Express executions need not be unique. */
  start(request: UnknownRecord): Execution;
  /** Returns the running and the latest ended executions, latest first. */
  list(): readonly Execution[];
  /** Aborts all running executions, and waits for them. */
  stop(): Promise<void>;
}

interface Options {
  readonly machines: ReadonlyMap<string, DeployedMachine>;
  /** `start` is for executions that a machine starts. @default - `start` of the API */
  readonly services: Omit<IntegratedServices, 'start'> & Partial<Pick<IntegratedServices, 'start'>>;
  readonly counters: OperationCounters;
  /** Called for each execution that has failed, unless it was stopped with the stack. */
  readonly onFailure?: ((execution: Execution) => void) | undefined;
}

export function createExecutions({ machines, services, counters, onFailure }: Options): Executions {
  let isStopping = false;
  const running = new Set<Execution>();
  /** In the order of their starts, of which several may be in one millisecond. */
  const known = new Set<Execution>();
  const ended: Execution[] = [];

  const start = (request: UnknownRecord): Execution => {
    const deployed = find(machines, request['stateMachineArn']);
    const [input, name] = [inputOf(request), nameOf(request)];
    const arn = `${deployed.arn.replace(':stateMachine:', ':express:')}:${name}:${randomUUID()}`;
    const execution = startExecution({ arn, name, deployed, input }, (resource, args) =>
      callServiceIntegration({ start, ...services }, resource, args),
    );
    running.add(execution);
    known.add(execution);
    execution.ended = execution.ended.then(() => {
      running.delete(execution);
      counters.add('states', 'ExpressExecution');
      counters.add('states', 'ExpressDurationMs', billedDuration(execution));
      ended.push(execution);
      for (const old of ended.splice(0, ended.length - KEPT)) known.delete(old);
      if (execution.status !== 'SUCCEEDED' && !isStopping) onFailure?.(execution);
    });
    return execution;
  };

  return {
    start,
    list: () => [...known].reverse(),
    async stop() {
      isStopping = true;
      for (const execution of running) execution.interrupt(new ExecutionInterruptedError('ABORTED'));
      await Promise.all([...running].map(({ ended: end }) => end));
    },
  };
}

/** Milliseconds that an execution is billed for. */
function billedDuration({ startedAt, stoppedAt = startedAt }: Execution): number {
  return Math.max(1, Math.ceil((stoppedAt - startedAt) / BILLED_STEP_MS)) * BILLED_STEP_MS;
}

/** Finds the machine of a request. @throws ServiceError as Step Functions does. */
function find(machines: ReadonlyMap<string, DeployedMachine>, arn: unknown): DeployedMachine {
  if (typeof arn !== 'string' || !/^arn:[^:]+:states:[^:]*:[^:]*:stateMachine:.+$/.test(arn)) {
    throw new ServiceError('InvalidArn', `Invalid Arn: '${arn}'`);
  }
  const deployed = machines.get(arn);
  if (!deployed) {
    throw new ServiceError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`);
  }
  return deployed;
}

function nameOf(request: UnknownRecord): string {
  const name = request['name'] ?? randomUUID();
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new ServiceError('InvalidName', `Invalid Name: '${name}'`);
  }
  return name;
}

function inputOf(request: UnknownRecord): string {
  const input = request['input'] ?? '{}';
  try {
    if (typeof input !== 'string' || isPayloadTooLarge(input))
      throw new Error('it is too large, or not a string');
    JSON.parse(input);
    return input;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError('InvalidExecutionInput', `Invalid State Machine Execution Input: '${reason}'`);
  }
}
