import type { EngineCredentials } from '../engine-credentials.ts';
import { runServiceAction, type ServiceAction, type ServiceAnswer } from '../service-actions.ts';
import type { LambdaHost, OperationCounters, ResolvedResource, Stoppable } from '../shared-types.ts';
import type { Execution } from './execution.ts';
import { createExecutions, type Executions } from './executions.ts';
import { createSqsSender } from './integrations/sqs.ts';
import { deployMachines } from './machines.ts';

export interface StepFunctionsOptions {
  readonly resources: readonly ResolvedResource[];
  readonly lambda: LambdaHost;
  readonly sqsEndpoint: string;
  readonly credentials: EngineCredentials;
  readonly counters: OperationCounters;
  readonly region: string;
  readonly accountId: string;
  /** Receives a line for each failed execution, like the log on AWS. */
  onLog(line: string): void;
}

export interface StepFunctions extends Stoppable {
  /** Serves an action of `AWSStepFunctions` (JSON protocol 1.0). */
  handle(action: string, body: unknown): Promise<ServiceAnswer>;
  /** Returns an overview of the executions of this process, latest first. */
  executions(): unknown;
}

/** Creates the supported actions of the Step Functions API. */
export const createStepFunctionsActions = (
  executions: Executions,
): Readonly<Record<string, ServiceAction>> => ({
  StartExecution: (request) => {
    const { arn, startedAt } = executions.start(request);
    return { executionArn: arn, startDate: startedAt / 1_000 };
  },
});

/**
 * Creates Step Functions for the machines of a template. Executions are in memory on purpose: the reconciler
 * restarts those that are lost with the process. @throws Error if a definition uses an unsupported feature.
 */
export function createStepFunctions(options: StepFunctionsOptions): StepFunctions {
  const { lambda, counters } = options;
  const sqs = createSqsSender(options.sqsEndpoint, options.region, options.credentials);
  const executions = createExecutions({
    machines: deployMachines(options.resources, options),
    services: { lambda, sendMessage: sqs.send },
    counters,
    onFailure: ({ name, deployed, state, status, error, cause }) =>
      options.onLog(
        JSON.stringify({ level: 'ERROR', machine: deployed.name, name, state, status, error, cause }),
      ),
  });
  const actions = createStepFunctionsActions(executions);
  return {
    handle: (action, body) => runServiceAction('states', actions, action, body, counters),
    executions: () => executions.list().map(overview),
    async stop() {
      await executions.stop();
      sqs.close();
    },
  };
}

const overview = ({ arn, name, deployed, state, status, startedAt, stoppedAt, error, cause }: Execution) => ({
  arn,
  name,
  state_machine: deployed.name,
  status,
  state,
  started_at: new Date(startedAt).toISOString(),
  stopped_at: stoppedAt === undefined ? null : new Date(stoppedAt).toISOString(),
  error: error ?? null,
  cause: cause ?? null,
});
