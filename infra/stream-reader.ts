import { Duration } from 'aws-cdk-lib';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, type DynamoEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import { TASKS_TABLE_KEY_ATTRIBUTES } from '../shared/contract/resource-names.ts';
import { FAULT_PERIOD, type StackAlarms } from './alarms.ts';
import type { WorkAndRecordBuckets } from './buckets.ts';
import type { ServiceFunction } from './function.ts';
import type { TasksTable } from './tasks-table.ts';

export interface TaskStreamSubscriptionProps {
  readonly alarms: StackAlarms;
  readonly table: TasksTable;
  readonly reader: ServiceFunction;
  /** What does not happen when a record is given up. */
  readonly consequence: string;
  /** Where Lambda writes whole batches that are given up. */
  readonly givesUpTo: WorkAndRecordBuckets;
  /** Which kinds of items it reads, by their sort keys. */
  readonly items?: readonly string[];
  readonly batch: Pick<DynamoEventSourceProps, 'batchSize' | 'maxBatchingWindow' | 'parallelizationFactor'>;
}

/** Feeds the writes of tasks to a function. A record that fails is tried again alone, and in the end put aside, so it holds up no others. */
export class TaskStreamSubscription extends Construct {
  constructor(scope: Construct, id: string, props: TaskStreamSubscriptionProps) {
    super(scope, id);
    const {
      alarms,
      table,
      reader,
      consequence,
      givesUpTo,
      items = [TASKS_TABLE_KEY_ATTRIBUTES.taskSk],
    } = props;
    this.keepIn(givesUpTo, props);
    // Whoever reads the stream reads the table; what it may do with that, the table of access says.
    table.allow(reader);
    reader.lambda.addEventSource(
      new DynamoEventSource(table.table, {
        ...props.batch,
        // From the start of the stream: a deploy must not lose what was written before the mapping was ready.
        startingPosition: StartingPosition.TRIM_HORIZON,
        filters: [
          FilterCriteria.filter({
            dynamodb: {
              Keys: {
                [TASKS_TABLE_KEY_ATTRIBUTES.sk]: { S: items.flatMap((each) => FilterRule.isEqual(each)) },
              },
            },
          }),
        ],
        reportBatchItemFailures: true,
        bisectBatchOnError: true,
        retryAttempts: 8,
        // The CDK's own would let the function read and write the whole bucket.
        onFailure: { bind: () => ({ destination: givesUpTo.bucket.bucketArn }) },
      }),
    );
    alarms.add(this, 'Lag', {
      metric: reader.lambda.metric('IteratorAge', { statistic: 'Maximum', period: FAULT_PERIOD }),
      threshold: Duration.minutes(5).toMilliseconds(),
      meaning: `A stream reader is more than five minutes behind; until it has caught up, ${consequence}`,
      runbook: 'stream-lag',
    });
  }

  /** What is kept is told by the alarm of dead letters; this is for what Lambda could not even write down. */
  private keepIn(
    storage: WorkAndRecordBuckets,
    { alarms, reader, consequence }: TaskStreamSubscriptionProps,
  ): void {
    storage.allowGivingUp(reader);
    alarms.add(this, 'Lost', {
      metric: reader.lambda.metric('DestinationDeliveryFailures', { statistic: 'Sum', period: FAULT_PERIOD }),
      threshold: 1,
      meaning: `Writes of tasks were given up, and Lambda could not keep them: ${consequence}`,
      runbook: 'stream-dead-letters',
    });
  }
}
