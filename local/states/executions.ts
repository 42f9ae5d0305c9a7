import { randomUUID } from 'node:crypto';
import type { Counters } from '../ports.ts';
import type { Json } from '../properties.ts';
import { ServiceError } from '../service-error.ts';
import { type Execution, startExecution } from './execution.ts';
import { callService, type Services } from './integrations/index.ts';
import { Interruption } from './interpreter/errors.ts';
import { isTooLarge } from './interpreter/payload.ts';
import type { Callbacks, Environment } from './interpreter/scope.ts';
import type { DeployedMachine } from './machines.ts';

/** Longest duration of an Express execution in seconds (Step Functions service quotas). */
const EXPRESS_SECONDS = 300;
/** Express durations are billed in steps of this many milliseconds. */
const BILLED_STEP_MS = 100;
/** Executions whose history is kept after they ended; older ones are described without it. */
const KEPT_HISTORIES = 1_000;
/** What a name of an execution may not hold (API reference of StartExecution). */
const NAME = /^[^\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}]{1,80}$/u;

export interface Executions {
  /** Standard: the same name with the same input while it runs is the same execution. Express: always a new one. */
  start(request: Json): Execution;
  /** Express only. Ended when the promise resolves. */
  startSync(request: Json): Promise<Execution>;
  /** A Standard execution by ARN. Throws `ExecutionDoesNotExist`. */
  get(arn: unknown): Execution;
  /** All Standard executions, latest first. */
  list(): readonly Execution[];
  /** Ends all that run, and waits for them. */
  stop(): Promise<void>;
}

interface Options {
  readonly machines: ReadonlyMap<string, DeployedMachine>;
  readonly services: Services;
  readonly tokens: Callbacks;
  readonly counters: Counters;
  /** Hears of each Standard execution that has ended by itself. */
  readonly onEnd?: ((execution: Execution) => void) | undefined;
}

export function createExecutions({ machines, services, tokens, counters, onEnd }: Options): Executions {
  let isStopping = false;
  const standard = new Map<string, Execution>();
  const running = new Set<Execution>();
  const ended: Execution[] = [];

  const launch = (arn: string, name: string, deployed: DeployedMachine, input: string): Execution => {
    const isExpress = deployed.type === 'EXPRESS';
    const transition = () => {
      if (!isExpress) counters.add('states', 'StateTransition');
    };
    const environmentOf = (record: Environment['record']): Environment => ({
      call: (resource, args) => callService(services, resource, args),
      tokens,
      record,
      transition,
    });
    const timeoutSeconds = isExpress ? EXPRESS_SECONDS : undefined;
    transition();
    const execution = startExecution({ arn, name, deployed, input, timeoutSeconds }, environmentOf);
    running.add(execution);
    execution.ended = execution.ended.then(() => {
      running.delete(execution);
      if (isExpress) {
        counters.add('states', 'ExpressExecution');
        counters.add('states', 'ExpressDurationMs', billedDuration(execution));
      } else {
        if (!isStopping) onEnd?.(execution);
        ended.push(execution);
        ended.splice(0, ended.length - KEPT_HISTORIES).forEach(({ events }) => {
          events.length = 0;
        });
      }
    });
    return execution;
  };

  return {
    start(request) {
      const deployed = find(machines, request['stateMachineArn']);
      const input = inputOf(request);
      const name = nameOf(request);
      if (deployed.type === 'EXPRESS') {
        return launch(`${executionArn(deployed, 'express', name)}:${randomUUID()}`, name, deployed, input);
      }
      const arn = executionArn(deployed, 'execution', name);
      const known = standard.get(arn);
      if (known?.status === 'RUNNING' && known.input === input) return known;
      if (known) throw new ServiceError('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`);
      const execution = launch(arn, name, deployed, input);
      standard.set(arn, execution);
      return execution;
    },
    async startSync(request) {
      const deployed = find(machines, request['stateMachineArn']);
      if (deployed.type !== 'EXPRESS') {
        throw new ServiceError(
          'StateMachineTypeNotSupported',
          'This operation is not supported by this type',
        );
      }
      const name = nameOf(request);
      const arn = `${executionArn(deployed, 'express', name)}:${randomUUID()}`;
      const execution = launch(arn, name, deployed, inputOf(request));
      await execution.ended;
      return execution;
    },
    get(arn) {
      const execution = typeof arn === 'string' ? standard.get(arn) : undefined;
      if (!execution) {
        throw new ServiceError('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`);
      }
      return execution;
    },
    list: () => [...standard.values()].reverse(),
    async stop() {
      isStopping = true;
      for (const execution of running) execution.interrupt(new Interruption('ABORTED'));
      await Promise.all([...running].map(({ ended }) => ended));
    },
  };
}

/** Milliseconds that an Express execution is billed for. */
export function billedDuration({ startedAt, stoppedAt = startedAt }: Execution): number {
  return Math.max(1, Math.ceil((stoppedAt - startedAt) / BILLED_STEP_MS)) * BILLED_STEP_MS;
}

/** The machine that a request names. Throws as the API does. */
export function find(machines: ReadonlyMap<string, DeployedMachine>, arn: unknown): DeployedMachine {
  if (typeof arn !== 'string' || !/^arn:[^:]+:states:[^:]*:[^:]*:stateMachine:.+$/.test(arn)) {
    throw new ServiceError('InvalidArn', `Invalid Arn: '${arn}'`);
  }
  const deployed = machines.get(arn);
  if (!deployed) {
    throw new ServiceError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`);
  }
  return deployed;
}

function executionArn(deployed: DeployedMachine, kind: 'execution' | 'express', name: string): string {
  return `${deployed.arn.replace(':stateMachine:', `:${kind}:`)}:${name}`;
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
    if (typeof input !== 'string' || isTooLarge(input)) throw new Error('it is too large, or not a string');
    JSON.parse(input);
    return input;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError('InvalidExecutionInput', `Invalid State Machine Execution Input: '${reason}'`);
  }
}
