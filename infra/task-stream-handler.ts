import { Duration, Stack } from 'aws-cdk-lib';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { FUNCTION_ENV_NAMES, TASKS_TABLE_KEY_ATTRIBUTES } from '../shared/contract/resource-names.ts';
import type { StackAlarms } from './alarms.ts';
import type { WorkAndRecordBuckets } from './buckets.ts';
import { type CommonConstructProps, ServiceFunction } from './function.ts';
import { TaskStreamSubscription } from './stream-reader.ts';
import type { TasksTable } from './tasks-table.ts';

export interface TaskStreamHandlerProps {
  readonly common: CommonConstructProps;
  readonly alarms: StackAlarms;
  readonly table: TasksTable;
  readonly storage: WorkAndRecordBuckets;
  readonly cascade: IStateMachine;
  /** What runs a task that names no agent. */
  readonly environment: Record<string, string>;
}

/** Makes follow what must follow from a write of a task. */
export class TaskStreamHandler extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, props: TaskStreamHandlerProps) {
    super(scope, id);
    const { common, alarms, table, storage, cascade } = props;
    const conductor = new ServiceFunction(this, 'Conduct', {
      common,
      name: 'conductor',
      description: 'Starts cascade executions and unblocks tasks, as the stream says',
      timeout: Duration.seconds(60),
      environment: {
        [FUNCTION_ENV_NAMES.table]: table.table.tableName,
        ...props.environment,
        [FUNCTION_ENV_NAMES.cascadeMachine]: cascade.stateMachineArn,
        [FUNCTION_ENV_NAMES.metricsNamespace]: Stack.of(this).stackName,
      },
    });
    conductor.allow({ actions: ['states:StartExecution'], on: [cascade.stateMachineArn] });
    this.function = conductor;
    new TaskStreamSubscription(this, 'Stream', {
      alarms,
      table,
      reader: conductor,
      givesUpTo: storage,
      items: [TASKS_TABLE_KEY_ATTRIBUTES.taskSk, TASKS_TABLE_KEY_ATTRIBUTES.requestSk],
      consequence: 'its cascade does not go on, and nobody hears of its end, until the reconciler sees it.',
      // Small and at once: people wait for it. Parallel by item, so the order of one task's writes is kept.
      batch: { batchSize: 10, parallelizationFactor: 10 },
    });
  }
}
