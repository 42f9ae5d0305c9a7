import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import type { ContainerCapacity } from '../shared/control/admission/container-capacity.ts';
import { FAULT_PERIOD, type StackAlarms } from './alarms.ts';
import type { ContainerCluster } from './container-cluster.ts';
import type { PatchDeliveryFunction } from './delivery.ts';
import { type CommonConstructProps, ServiceFunction } from './function.ts';
import type { TasksTable } from './tasks-table.ts';

export interface TaskReconcilerProps {
  readonly common: CommonConstructProps;
  readonly alarms: StackAlarms;
  readonly table: TasksTable;
  readonly boxes: ContainerCluster;
  readonly delivery: PatchDeliveryFunction;
  readonly cascade: StateMachine;
  readonly room: ContainerCapacity;
  /** How the cascade chooses, and how far it changes its own settings. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Looks after what was lost: leases that ran out, boxes that died, steps that nobody has done. */
export class TaskReconciler extends Construct {
  constructor(scope: Construct, id: string, props: TaskReconcilerProps) {
    super(scope, id);
    const { common, alarms, table, boxes, cascade } = props;
    const { clusterArn } = boxes.cluster;
    const reconciler = new ServiceFunction(this, 'Reconcile', {
      common,
      name: 'reconciler',
      description: 'Expires leases, finds lost boxes, starts steps that nobody has done',
      timeout: Duration.seconds(50),
      environment: {
        [FUNCTION_ENV_NAMES.table]: table.table.tableName,
        [FUNCTION_ENV_NAMES.cascadeMachine]: cascade.stateMachineArn,
        [FUNCTION_ENV_NAMES.cluster]: clusterArn,
        [FUNCTION_ENV_NAMES.containerCapacity]: JSON.stringify(props.room),
        ...props.environment,
      },
    });
    reconciler.allow({ actions: ['states:StartExecution'], on: [cascade.stateMachineArn] });
    table.allow(reconciler);
    reconciler.allow({
      actions: ['ecs:DescribeTasks', 'ecs:StopTask'],
      on: [
        Stack.of(this).formatArn({
          service: 'ecs',
          resource: 'task',
          resourceName: `${boxes.cluster.clusterName}/*`,
        }),
      ],
      because: 'A box is named by ECS when it starts.',
    });

    new Rule(this, 'EveryMinute', {
      description: 'Reconciles tasks and boxes',
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [
        new LambdaFunction(reconciler.lambda, {
          event: RuleTargetInput.fromObject({ kind: 'schedule' }),
          // The next minute does the same; an old event is worth nothing.
          retryAttempts: 0,
          maxEventAge: Duration.minutes(1),
        }),
      ],
    });
    new Rule(this, 'BoxStopped', {
      description: 'A box has stopped, with or without a report',
      eventPattern: {
        source: ['aws.ecs'],
        detailType: ['ECS Task State Change'],
        detail: { clusterArn: [clusterArn], lastStatus: ['STOPPED'] },
      },
      // No dead-letter queue: what this event says, the schedule finds out a minute later.
      targets: [new LambdaFunction(reconciler.lambda)],
    });
    new Rule(this, 'DeliveryFailed', {
      description: 'A delivery has ended without a report',
      eventPattern: {
        source: ['lambda'],
        detailType: ['Lambda Function Invocation Result - Failure'],
        detail: {
          requestContext: { functionArn: [{ prefix: props.delivery.function.lambda.functionArn }] },
        },
      },
      // Told as well as can be: what is not heard, the deadline of the task finds out.
      targets: [new LambdaFunction(reconciler.lambda)],
    });
    alarms.add(this, 'Errors', {
      metric: reconciler.lambda.metricErrors({ period: FAULT_PERIOD }),
      threshold: 3,
      meaning: 'The reconciler keeps failing: lost leases, boxes and steps are not noticed.',
      runbook: 'reconciler-errors',
    });
  }
}
