import { Duration, Stack } from 'aws-cdk-lib';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { FUNCTION_ENV_NAMES, TABLE_KEYS } from '../shared/contract/resource-names.ts';
import type { Alarms } from './alarms.ts';
import { type CommonProps, ServiceFunction } from './function.ts';
import type { Storage } from './storage.ts';
import { StreamReader } from './stream-reader.ts';
import type { TasksTable } from './tasks-table.ts';

export interface ConductorProps {
  readonly common: CommonProps;
  readonly alarms: Alarms;
  readonly table: TasksTable;
  readonly storage: Storage;
  readonly cascade: IStateMachine;
  /** What runs a task that names no agent. */
  readonly environment: Record<string, string>;
}

/** Makes follow what must follow from a write of a task. */
export class Conductor extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, props: ConductorProps) {
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
    new StreamReader(this, 'Stream', {
      alarms,
      table,
      reader: conductor,
      givesUpTo: storage,
      items: [TABLE_KEYS.taskSk, TABLE_KEYS.requestSk],
      consequence: 'its cascade does not go on, and nobody hears of its end, until the reconciler sees it.',
      // Small and at once: people wait for it. Parallel by item, so the order of one task's writes is kept.
      batch: { batchSize: 10, parallelizationFactor: 10 },
    });
  }
}
