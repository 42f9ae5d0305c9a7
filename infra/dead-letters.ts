import { Duration, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  FAILED_STREAM_BATCH_KEY_PREFIX,
  FUNCTION_ENV_NAMES,
  METRIC_NAMES,
} from '../shared/contract/resource-names.ts';
import type { TaskStreamConsumer } from '../shared/control/dead-letters/dead-letter.ts';
import { FAULT_PERIOD, type StackAlarms } from './alarms.ts';
import type { WorkAndRecordBuckets } from './buckets.ts';
import { type CommonConstructProps, ServiceFunction } from './function.ts';
import type { TasksTable } from './tasks-table.ts';
import type { WorkQueuesAndContainers } from './work-queues-and-containers.ts';

export interface DeadLetterHandlerProps {
  readonly common: CommonConstructProps;
  readonly alarms: StackAlarms;
  readonly table: TasksTable;
  readonly workforce: WorkQueuesAndContainers;
  /** Takes launches and notifications that were given up. */
  readonly queue: Queue;
  /** Takes notifications again. @default - there are none */
  readonly notifyQueue?: Queue | undefined;
  /** Where batches of the stream lie that were given up. */
  readonly storage: WorkAndRecordBuckets;
  /** Read such a batch again. */
  readonly readers: Readonly<Record<TaskStreamConsumer, ServiceFunction>>;
}

/** Writes down what was given up where people see it, and tries it again. */
export class DeadLetterHandler extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, props: DeadLetterHandlerProps) {
    super(scope, id);
    const { common, alarms, table, workforce, queue, notifyQueue, storage, readers } = props;
    const { agentQueues, gatesQueue } = workforce;
    const reader = new ServiceFunction(this, 'Read', {
      common,
      name: 'dead-letters',
      description: 'Writes down what was given up, and tries it again',
      timeout: Duration.seconds(50),
      environment: {
        [FUNCTION_ENV_NAMES.table]: table.table.tableName,
        ...storage.environment,
        [FUNCTION_ENV_NAMES.streamReaders]: Stack.of(this).toJsonString({
          ledger: readers.ledger.lambda.functionName,
          conductor: readers.conductor.lambda.functionName,
        }),
        [FUNCTION_ENV_NAMES.metricsNamespace]: Stack.of(this).stackName,
        [FUNCTION_ENV_NAMES.launchQueues]: Stack.of(this).toJsonString({
          1: agentQueues[1].queueUrl,
          2: agentQueues[2].queueUrl,
          3: agentQueues[3].queueUrl,
          gates: gatesQueue.queueUrl,
        }),
        ...(notifyQueue && { [FUNCTION_ENV_NAMES.notifyQueue]: notifyQueue.queueUrl }),
      },
    });
    this.function = reader;
    table.allow(reader);
    reader.allow({
      actions: ['sqs:SendMessage'],
      on: [...workforce.queues, ...(notifyQueue ? [notifyQueue] : [])].map(({ queueArn }) => queueArn),
    });
    for (const prefix of [FAILED_STREAM_BATCH_KEY_PREFIX, 'failed-batches/'] as const)
      storage.allowList(reader, prefix);
    storage.allow(reader, ['GetObject', 'DeleteObject'], [FAILED_STREAM_BATCH_KEY_PREFIX]);
    storage.allow(reader, ['GetObject', 'PutObject'], ['failed-batches/']);
    reader.allow({
      actions: ['lambda:InvokeFunction'],
      on: Object.values(readers).map(({ lambda }) => lambda.functionArn),
    });
    reader.lambda.addEventSource(
      new SqsEventSource(queue, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 2 }),
    );
    new Rule(this, 'EveryMinute', {
      description: 'Tries again what was given up and is due',
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [
        new LambdaFunction(reader.lambda, {
          event: RuleTargetInput.fromObject({ kind: 'schedule' }),
          // The next minute does the same; an old event is worth nothing.
          retryAttempts: 0,
          maxEventAge: Duration.minutes(1),
        }),
      ],
    });
    alarms.add(this, 'Open', {
      metric: new Metric({
        namespace: Stack.of(this).stackName,
        metricName: METRIC_NAMES.deadLetters,
        dimensionsMap: { [METRIC_NAMES.dimension]: METRIC_NAMES.service },
        statistic: 'Maximum',
        period: FAULT_PERIOD,
      }),
      threshold: 1,
      meaning: 'Operations have failed for good, and are tried again or wait for a person.',
      runbook: 'dead-letters',
    });
  }
}
