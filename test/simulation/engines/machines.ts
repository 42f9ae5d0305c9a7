import {
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  InvalidToken,
  TaskTimedOut,
} from '@aws-sdk/client-sfn';
import { cascadeDefinition } from '../../../infra/machines/cascade.ts';
import { janitorDefinition } from '../../../infra/machines/janitor.ts';
import { ServiceError } from '../../../local/service-error.ts';
import { createActions } from '../../../local/states/actions.ts';
import { compileMachine } from '../../../local/states/definition/compile.ts';
import { createExecutions, type Executions } from '../../../local/states/executions.ts';
import { StateError } from '../../../local/states/interpreter/errors.ts';
import type { DeployedMachine } from '../../../local/states/machines.ts';
import { createTokens } from '../../../local/states/tokens.ts';
import { ARN, QUEUES } from '../environment.ts';

/** The two machines as infra/ defines them, compiled once. */
const MACHINES: ReadonlyMap<string, DeployedMachine> = new Map(
  [
    {
      arn: ARN.cascade,
      name: 'cascade',
      type: 'STANDARD' as const,
      definition: cascadeDefinition({
        partition: 'aws',
        cascadeFunction: 'cascade',
        resolverFunction: 'resolver',
        janitorMachine: ARN.janitor,
        agentQueues: [QUEUES.agents[1], QUEUES.agents[2], QUEUES.agents[3]],
        gatesQueue: QUEUES.gates,
      }),
    },
    {
      arn: ARN.janitor,
      name: 'janitor',
      type: 'EXPRESS' as const,
      definition: janitorDefinition({ partition: 'aws', janitorFunction: 'janitor', judgeFunction: 'judge' }),
    },
  ].map(({ arn, name, type, definition }) => [
    arn,
    { arn, name, type, machine: compileMachine(JSON.parse(JSON.stringify(definition))) },
  ]),
);

export interface Reaches {
  /** Invokes a function of the control plane by name. */
  readonly invoke: (name: string, payload: unknown) => Promise<unknown>;
  /** Sends a message. */
  readonly send: (queueUrl: string, body: string) => Promise<unknown>;
  /** Hears of an execution that has not ended well. */
  readonly failed?: (event: unknown) => void;
}

const ERRORS: Readonly<Record<string, new (of: { message: string; $metadata: object }) => Error>> = {
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  InvalidToken,
  TaskTimedOut,
};

/** Step Functions: the interpreter of the embedded stack, on virtual time. */
export class Machines {
  executions: Executions;
  #actions: ReturnType<typeof createActions>;
  readonly #reaches: Reaches;
  /** Cause of each execution that has failed. */
  readonly failures: string[] = [];

  constructor(reaches: Reaches) {
    this.#reaches = reaches;
    [this.executions, this.#actions] = this.#engine();
  }

  #engine(): [Executions, ReturnType<typeof createActions>] {
    const tokens = createTokens();
    const executions: Executions = createExecutions({
      machines: MACHINES,
      tokens,
      counters: { add: () => {} } as never,
      onEnd: ({ name, status }) => {
        if (status !== 'SUCCEEDED')
          this.#reaches.failed?.({
            'detail-type': 'Step Functions Execution Status Change',
            detail: { name, status },
          });
      },
      services: {
        lambda: {
          invoke: async (name: string, payload: unknown) => {
            try {
              return { payload: await this.#reaches.invoke(name, payload) };
            } catch (error) {
              const problem = error instanceof Error ? error : new Error(String(error));
              return { error: { errorType: problem.name, errorMessage: problem.message } };
            }
          },
        } as never,
        sendMessage: async (args) => {
          const body = args['MessageBody'];
          try {
            return await this.#reaches.send(
              String(args['QueueUrl']),
              typeof body === 'string' ? body : JSON.stringify(body),
            );
          } catch (error) {
            throw new StateError('SQS.SdkClientException', String(error));
          }
        },
        startSync: (request) => this.#actions['StartSyncExecution']?.(request) as never,
      },
    });
    return [executions, createActions(MACHINES, executions, tokens)];
  }

  get running(): number {
    return this.executions.list().filter(({ status }) => status === 'RUNNING').length;
  }

  /** All executions are gone without a trace, as after a crash of the embedded stack. */
  forget(): void {
    const lost = this.executions;
    [this.executions, this.#actions] = this.#engine();
    void lost.stop();
  }

  run(operation: string, input: Readonly<Record<string, unknown>>): unknown {
    const action = this.#actions[operation.replace(/Command$/, '')];
    if (!action) throw new Error(`the simulated Step Functions have no ${operation}`);
    try {
      return action(input);
    } catch (error) {
      const known = error instanceof ServiceError ? ERRORS[error.code] : undefined;
      throw known ? new known({ message: (error as Error).message, $metadata: {} }) : error;
    }
  }
}
