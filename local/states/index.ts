import type { BusEvent, Counters, EventBus, LambdaHost, ResolvedResource, Running } from '../ports.ts';
import { answer, type ServiceAnswer } from '../service-error.ts';
import { createActions, describeSync } from './actions.ts';
import type { Execution } from './execution.ts';
import { createExecutions } from './executions.ts';
import type { Services } from './integrations/index.ts';
import { createSqs } from './integrations/sqs.ts';
import { deployMachines } from './machines.ts';
import { createTokens } from './tokens.ts';

export interface StatesOptions {
  readonly resources: readonly ResolvedResource[];
  readonly lambda: LambdaHost;
  readonly sqsEndpoint: string;
  readonly counters: Counters;
  /** Where it is told how executions have ended. */
  readonly bus?: EventBus | undefined;
  readonly region: string;
  readonly accountId: string;
}

export interface States extends Running {
  /** Serves an action of `AWSStepFunctions` (JSON protocol 1.0). */
  handle(action: string, body: unknown): Promise<ServiceAnswer>;
  /** The Standard executions of this process, latest first, for people and tests to look at. */
  executions(): unknown;
}

/**
 * Step Functions for the machines of a template. Throws at once when a definition holds what is not interpreted.
 * Executions are in memory on purpose: what is lost with the process, the reconciler starts again.
 */
export function createStates(options: StatesOptions): States {
  const machines = deployMachines(options.resources, options);
  const sqs = createSqs(options.sqsEndpoint, options.region);
  const tokens = createTokens();
  const services: Services = {
    lambda: options.lambda,
    sendMessage: sqs.send,
    startSync: async (request) => describeSync(await executions.startSync(request)),
  };
  const executions = createExecutions({
    machines,
    services,
    tokens,
    counters: options.counters,
    onEnd: (execution) => options.bus?.put(statusChange(execution)),
  });
  const actions = createActions(machines, executions, tokens);
  return {
    handle: (action, body) => answer('states', actions, action, body, options.counters),
    executions: () => executions.list().map(overview),
    async stop() {
      await executions.stop();
      sqs.close();
    },
  };
}

/** As EventBridge has it from Step Functions. */
const statusChange = ({ arn, name, deployed, input, status, startedAt, stoppedAt }: Execution): BusEvent => ({
  source: 'aws.states',
  'detail-type': 'Step Functions Execution Status Change',
  resources: [arn],
  detail: {
    executionArn: arn,
    stateMachineArn: deployed.arn,
    name,
    status,
    startDate: startedAt,
    stopDate: stoppedAt ?? null,
    input,
  },
});

function overview({ arn, name, deployed, status, startedAt, stoppedAt, error, cause, events }: Execution) {
  const entered = events.findLast(({ type }) => type.endsWith('StateEntered'));
  return {
    arn,
    name,
    state_machine: deployed.name,
    status,
    state: entered?.details['name'] ?? null,
    started_at: new Date(startedAt).toISOString(),
    stopped_at: stoppedAt === undefined ? null : new Date(stoppedAt).toISOString(),
    error: error ?? null,
    cause: cause ?? null,
  };
}
