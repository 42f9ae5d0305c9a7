import { buildCascadeDefinition } from '../../../infra/machines/cascade.ts';
import { buildJanitorDefinition } from '../../../infra/machines/janitor.ts';
import type { ServiceAction } from '../../../local/service-actions.ts';
import { compileMachine } from '../../../local/step-functions/definition/compile.ts';
import type { Execution } from '../../../local/step-functions/execution.ts';
import { createExecutions, type Executions } from '../../../local/step-functions/executions.ts';
import { createStepFunctionsActions } from '../../../local/step-functions/index.ts';
import { ExecutionInterruptedError, StateError } from '../../../local/step-functions/interpreter/errors.ts';
import type { DeployedMachine } from '../../../local/step-functions/machines.ts';
import { QUEUE_URLS, STATE_MACHINE_ARNS } from '../simulated-environment.ts';
import { drawFraction } from '../world/random-stream.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';

/** The two machines as infra/ defines them, compiled once. */
const MACHINES: ReadonlyMap<string, DeployedMachine> = new Map(
  [
    {
      arn: STATE_MACHINE_ARNS.cascade,
      name: 'cascade',
      definition: buildCascadeDefinition({
        partition: 'aws',
        cascadeFunction: 'cascade',
        resolverFunction: 'resolver',
        janitorMachine: STATE_MACHINE_ARNS.janitor,
        agentQueues: [QUEUE_URLS.agents[1], QUEUE_URLS.agents[2], QUEUE_URLS.agents[3]],
        gatesQueue: QUEUE_URLS.gates,
      }),
    },
    {
      arn: STATE_MACHINE_ARNS.janitor,
      name: 'janitor',
      definition: buildJanitorDefinition({
        partition: 'aws',
        janitorFunction: 'janitor',
        judgeFunction: 'judge',
      }),
    },
  ].map(({ arn, name, definition }) => [
    arn,
    { arn, name, machine: compileMachine(JSON.parse(JSON.stringify(definition))) },
  ]),
);

/** Milliseconds within which an execution dies that is cut short: some before their first step, some after their last. */
const CUT_WITHIN = 5_000;

export interface StepFunctionsDependencies {
  readonly world: SimulatedWorld;
  /** Invokes a function of the control plane by name. */
  readonly invoke: (name: string, payload: unknown) => Promise<unknown>;
  /** Sends a message. */
  readonly send: (queueUrl: string, body: string) => Promise<unknown>;
}

/** Step Functions: the interpreter of the embedded stack, on virtual time. Executions are at least once, and in bad weather not even that. */
export class SimulatedStepFunctions {
  executions: Executions;
  readonly #reaches: StepFunctionsDependencies;
  #starts = 0;

  constructor(reaches: StepFunctionsDependencies) {
    this.#reaches = reaches;
    this.executions = this.#engine();
  }

  #engine(): Executions {
    const { start, ...others } = createExecutions({
      machines: MACHINES,
      counters: { add: () => {} } as never,
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
        start: (request) => this.#weathered(request, start),
      },
    });
    return { ...others, start: (request) => this.#weathered(request, start) };
  }

  #weathered(request: Parameters<Executions['start']>[0], start: Executions['start']): Execution {
    const { world } = this.#reaches;
    const { hasNoMoreFaults, conditions } = world;
    const at = this.#starts++;
    const draw = (what: string): number =>
      hasNoMoreFaults ? 1 : drawFraction(`${conditions.seed}/${what}/${at}`);
    const tell = (word: string): void =>
      world.logEvent(() => `  ${word}: execution ${String(request['name'])}`);
    if (draw('lost') < conditions.lostStarts) {
      tell('acknowledged and lost');
      const lost = start(request);
      lost.interrupt(new ExecutionInterruptedError('ABORTED'));
      return lost;
    }
    const execution = start(request);
    if (draw('cut') < conditions.diedStarts)
      world.clock.schedule(drawFraction(`${conditions.seed}/cut at/${at}`) * CUT_WITHIN, () => {
        if (execution.status !== 'RUNNING') return;
        tell('cut short');
        execution.interrupt(new ExecutionInterruptedError('ABORTED'));
      });
    if (draw('twice') < conditions.doubleStarts) {
      tell('runs twice');
      world.clock.schedule(
        drawFraction(`${conditions.seed}/twice at/${at}`) * CUT_WITHIN,
        () => void start(request),
      );
    }
    return execution;
  }

  get running(): number {
    return this.executions.list().filter(({ status }) => status === 'RUNNING').length;
  }

  /** All executions are gone without a trace, as after a crash of the embedded stack. */
  loseExecutions(): void {
    const lost = this.executions;
    this.executions = this.#engine();
    void lost.stop();
  }

  run(operation: string, input: Readonly<Record<string, unknown>>): unknown {
    const actions: Readonly<Record<string, ServiceAction>> = createStepFunctionsActions(this.executions);
    const action = actions[operation.replace(/Command$/, '')];
    if (!action) throw new Error(`the simulated Step Functions have no ${operation}`);
    return action(input);
  }
}
