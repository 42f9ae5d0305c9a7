import { randomUUID } from 'node:crypto';
import type { Counters } from '../interfaces.ts';
import type { Json } from '../properties.ts';
import { ServiceError } from '../service-actions.ts';
import { type Execution, startExecution } from './execution.ts';
import { callService, type Services } from './integrations/index.ts';
import { Interruption } from './interpreter/errors.ts';
import { isPayloadTooLarge } from './interpreter/payload.ts';
import type { DeployedMachine } from './machines.ts';

/** Durations are billed in steps of this many milliseconds. */
const BILLED_STEP_MS = 100;
/** Executions that are remembered after they have ended, for people to look at. */
const KEPT = 1_000;
/** What a name of an execution may not hold (API reference of StartExecution). */
const NAME = /^[^\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}]{1,80}$/u;

export interface Executions {
  /** Starts an execution, each time that it is asked: of Express machines, names are for people. */
  start(request: Json): Execution;
  /** Those that run, and the latest that have ended; latest first. */
  list(): readonly Execution[];
  /** Ends all that run, and waits for them. */
  stop(): Promise<void>;
}

interface Options {
  readonly machines: ReadonlyMap<string, DeployedMachine>;
  /** How a machine starts another one; absent: as anybody does. */
  readonly services: Omit<Services, 'start'> & Partial<Pick<Services, 'start'>>;
  readonly counters: Counters;
  /** Hears of each execution that has ended by itself, and not well. */
  readonly onFailure?: ((execution: Execution) => void) | undefined;
}

export function createExecutions({ machines, services, counters, onFailure }: Options): Executions {
  let isStopping = false;
  const running = new Set<Execution>();
  /** In the order of their starts, of which several may be in one millisecond. */
  const known = new Set<Execution>();
  const ended: Execution[] = [];

  const start = (request: Json): Execution => {
    const deployed = find(machines, request['stateMachineArn']);
    const [input, name] = [inputOf(request), nameOf(request)];
    const arn = `${deployed.arn.replace(':stateMachine:', ':express:')}:${name}:${randomUUID()}`;
    const execution = startExecution({ arn, name, deployed, input }, (resource, args) =>
      callService({ start, ...services }, resource, args),
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
      for (const execution of running) execution.interrupt(new Interruption('ABORTED'));
      await Promise.all([...running].map(({ ended: end }) => end));
    },
  };
}

/** Milliseconds that an execution is billed for. */
function billedDuration({ startedAt, stoppedAt = startedAt }: Execution): number {
  return Math.max(1, Math.ceil((stoppedAt - startedAt) / BILLED_STEP_MS)) * BILLED_STEP_MS;
}

/** The machine that a request names. Throws as the API does. */
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

function nameOf(request: Json): string {
  const name = request['name'] ?? randomUUID();
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new ServiceError('InvalidName', `Invalid Name: '${name}'`);
  }
  return name;
}

function inputOf(request: Json): string {
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
