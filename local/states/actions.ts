import type { Json } from '../properties.ts';
import { type ServiceAction, ServiceError } from '../service-error.ts';
import type { Execution } from './execution.ts';
import { billedDuration, type Executions, find } from './executions.ts';
import { historyEvents } from './history.ts';
import { Interruption } from './interpreter/errors.ts';
import type { DeployedMachine } from './machines.ts';
import type { TokenRegistry } from './tokens.ts';

/** Express executions are billed in steps of 64 MB of memory; ours never take more than one. */
const BILLED_MEMORY_MB = 64;

/** The actions of the Step Functions API that are served. */
export function createActions(
  machines: ReadonlyMap<string, DeployedMachine>,
  executions: Executions,
  tokens: TokenRegistry,
): Readonly<Record<string, ServiceAction>> {
  return {
    StartExecution: (request) => {
      const { arn, startedAt } = executions.start(request);
      return { executionArn: arn, startDate: startedAt / 1_000 };
    },
    StartSyncExecution: async (request) => describeSync(await executions.startSync(request)),
    DescribeExecution: (request) => describe(executions.get(request['executionArn'])),
    StopExecution: async (request) => {
      const execution = executions.get(request['executionArn']);
      execution.interrupt(new Interruption('ABORTED', text(request, 'error'), text(request, 'cause')));
      await execution.ended;
      return { stopDate: (execution.stoppedAt ?? Date.now()) / 1_000 };
    },
    ListExecutions: (request) => {
      const deployed = find(machines, request['stateMachineArn']);
      if (deployed.type === 'EXPRESS') {
        throw new ServiceError(
          'StateMachineTypeNotSupported',
          'This operation is not supported by this type',
        );
      }
      const status = request['statusFilter'];
      const found = executions
        .list()
        .filter((execution) => execution.deployed === deployed && (!status || execution.status === status));
      return page(request, 'executions', found.map(summary));
    },
    GetExecutionHistory: (request) => {
      const events = historyEvents(executions.get(request['executionArn']));
      return page(request, 'events', request['reverseOrder'] === true ? events.toReversed() : events);
    },
    SendTaskSuccess: (request) => {
      tokens.succeed(request['taskToken'], request['output']);
      return {};
    },
    SendTaskFailure: (request) => {
      tokens.fail(request['taskToken'], text(request, 'error') ?? '', text(request, 'cause') ?? '');
      return {};
    },
    SendTaskHeartbeat: (request) => {
      tokens.heartbeat(request['taskToken']);
      return {};
    },
  };
}

/** The answer of StartSyncExecution. */
export function describeSync(execution: Execution) {
  return {
    ...describe(execution),
    billingDetails: {
      billedDurationInMilliseconds: billedDuration(execution),
      billedMemoryUsedInMB: BILLED_MEMORY_MB,
    },
  };
}

function describe(execution: Execution) {
  const { input, output, error, cause } = execution;
  return {
    ...summary(execution),
    input,
    inputDetails: { included: true },
    ...(output === undefined ? {} : { output, outputDetails: { included: true } }),
    ...(error === undefined ? {} : { error }),
    ...(cause === undefined ? {} : { cause }),
  };
}

function summary({ arn, name, deployed, status, startedAt, stoppedAt }: Execution) {
  return {
    executionArn: arn,
    stateMachineArn: deployed.arn,
    name,
    status,
    startDate: startedAt / 1_000,
    ...(stoppedAt === undefined ? {} : { stopDate: stoppedAt / 1_000 }),
  };
}

/** One page of a list; the token is the position of the next item. */
function page(request: Json, key: string, items: readonly unknown[]) {
  const size = Number(request['maxResults'] ?? 0) || 100;
  const start = Number(request['nextToken'] ?? 0);
  if (!Number.isInteger(start) || start < 0)
    throw new ServiceError('InvalidToken', "Invalid Token: 'nextToken'");
  const rest = start + size < items.length ? { nextToken: String(start + size) } : {};
  return { [key]: items.slice(start, start + size), ...rest };
}

function text(request: Json, key: string): string | undefined {
  const value = request[key];
  return typeof value === 'string' ? value : undefined;
}
