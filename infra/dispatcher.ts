import { Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import { FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import type { ContainerCapacity } from '../shared/control/admission/container-capacity.ts';
import { FAULT_PERIOD, type StackAlarms } from './alarms.ts';
import type { WorkAndRecordBuckets } from './buckets.ts';
import type { CredentialMinter } from './credential-minter.ts';
import type { PatchDeliveryFunction } from './delivery.ts';
import { type CommonConstructProps, ServiceFunction } from './function.ts';
import type { TasksTable } from './tasks-table.ts';
import { DISPATCH_TIMEOUT, type WorkQueuesAndContainers } from './work-queues-and-containers.ts';

export interface LaunchDispatcherProps {
  readonly common: CommonConstructProps;
  readonly alarms: StackAlarms;
  readonly table: TasksTable;
  readonly storage: WorkAndRecordBuckets;
  readonly workforce: WorkQueuesAndContainers;
  readonly delivery: PatchDeliveryFunction;
  readonly minter: CredentialMinter;
  /** Where the boxes report to, without a slash at the end. */
  readonly apiUrl: string;
  readonly room: ContainerCapacity;
  readonly environment: Record<string, string>;
}

/** RunTask takes 20 calls a second; with more at work, launches would only throttle each other. */
const CONCURRENCY = { agents: [6, 4, 2], gates: 8 } as const;

/** Takes launch messages, starts boxes and has work delivered. */
export class LaunchDispatcher extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, props: LaunchDispatcherProps) {
    super(scope, id);
    const { common, alarms, table, storage, workforce } = props;
    const { network, boxes } = workforce;
    this.function = new ServiceFunction(this, 'Launch', {
      common,
      name: 'dispatcher',
      description: 'Takes launch messages, starts boxes on Fargate and has work delivered',
      timeout: DISPATCH_TIMEOUT,
      environment: {
        ...props.environment,
        ...props.minter.environment,
        ...boxes.imageEnvironment,
        [FUNCTION_ENV_NAMES.table]: table.table.tableName,
        ...storage.environment,
        [FUNCTION_ENV_NAMES.apiUrl]: props.apiUrl,
        [FUNCTION_ENV_NAMES.cluster]: boxes.cluster.clusterArn,
        [FUNCTION_ENV_NAMES.subnets]: network.subnetIds.join(','),
        [FUNCTION_ENV_NAMES.securityGroups]: network.securityGroupIds.join(','),
        [FUNCTION_ENV_NAMES.assignPublicIp]: String(network.assignPublicIp),
        [FUNCTION_ENV_NAMES.agentFamily]: boxes.definitions.agent.family,
        [FUNCTION_ENV_NAMES.gatesFamily]: boxes.definitions.gates.family,
        [FUNCTION_ENV_NAMES.deliverFunction]: props.delivery.function.lambda.functionName,
        [FUNCTION_ENV_NAMES.containerCapacity]: JSON.stringify(props.room),
      },
    });
    table.allow(this.function);
    props.minter.allow(this.function);
    storage.allow(this.function, ['PutObject'], ['assignments/']);
    // To sign the URLs that the boxes read: a signed URL can do what its signer may.
    storage.allow(this.function, ['GetObject'], ['assignments/', 'artifacts/', 'hidden/']);
    storage.allow(this.function, ['DeleteObject'], ['assignments/']);
    this.allowLaunching(workforce);
    props.delivery.allow(this.function);
    [
      workforce.agentQueues[1],
      workforce.agentQueues[2],
      workforce.agentQueues[3],
      workforce.gatesQueue,
    ].forEach((queue, index) => {
      this.function.lambda.addEventSource(
        new SqsEventSource(queue, {
          batchSize: 10,
          reportBatchItemFailures: true,
          maxConcurrency: CONCURRENCY.agents[index] ?? CONCURRENCY.gates,
        }),
      );
    });
    alarms.add(this, 'Errors', {
      metric: this.function.lambda.metricErrors({ period: FAULT_PERIOD }),
      threshold: 1,
      meaning: 'The dispatcher fails as a whole: nothing is launched, and tasks wait.',
      runbook: 'dispatcher-errors',
    });
  }

  private allowLaunching(workforce: WorkQueuesAndContainers): void {
    const { cluster, all } = workforce.boxes;
    const onThisCluster = { ArnEquals: { 'ecs:cluster': cluster.clusterArn } };
    this.function.allow({
      actions: ['ecs:RunTask'],
      on: all.map(({ family }) =>
        Stack.of(this).formatArn({
          service: 'ecs',
          resource: 'task-definition',
          resourceName: `${family}:*`,
        }),
      ),
      when: onThisCluster,
      because:
        'The number after the family is the revision. A deploy retires revisions while launch messages are in flight, so the dispatcher names the family only.',
    });
    this.function.allow({
      actions: ['ecs:TagResource'],
      on: [
        Stack.of(this).formatArn({
          service: 'ecs',
          resource: 'task',
          resourceName: `${cluster.clusterName}/*`,
        }),
      ],
      when: { StringEquals: { 'ecs:CreateAction': 'RunTask' } },
      because: 'RunTask hands on the tags of the family to a task whose id does not exist before.',
    });
    this.function.allow({
      actions: ['iam:PassRole'],
      // Boxes of one kind share their roles, whatever image they are of.
      on: Object.values(workforce.boxes.definitions).flatMap((definition) => [
        definition.taskRole.roleArn,
        definition.obtainExecutionRole().roleArn,
      ]),
      when: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
    });
  }
}
