import { Duration, Validations } from 'aws-cdk-lib';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, type DynamoEventSourceProps, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { TABLE } from '../shared/names.ts';
import { type Alarms, FAULT_PERIOD } from './alarms.ts';
import type { ServiceFunction } from './function.ts';
import { DeadLetterQueue } from './queues.ts';
import type { TasksTable } from './tasks-table.ts';

export interface StreamReaderProps {
  readonly alarms: Alarms;
  readonly table: TasksTable;
  readonly reader: ServiceFunction;
  /** What does not happen when a record is given up. */
  readonly consequence: string;
  /** Which kinds of items it reads, by their sort keys. */
  readonly items?: readonly string[];
  readonly batch: Pick<DynamoEventSourceProps, 'batchSize' | 'maxBatchingWindow' | 'parallelizationFactor'>;
}

/** Feeds the writes of tasks to a function. A record that fails is tried again alone, and in the end put aside, so it holds up no others. */
export class StreamReader extends Construct {
  /** Of records that were given up. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: StreamReaderProps) {
    super(scope, id);
    const { alarms, table, reader, consequence, items = [TABLE.taskSk] } = props;
    const deadLetters = new DeadLetterQueue(this, 'DeadLetters', {
      alarms,
      meaning: `A write of a task was given up: ${consequence}`,
      runbook: 'stream-dead-letters',
    });
    this.deadLetters = deadLetters.queue;
    Validations.of(deadLetters.queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason:
        'It is the dead-letter queue of an event source mapping; the rule looks at redrive policies only.',
    });
    // Whoever reads the stream reads the table; what it may do with that, the table of access says.
    table.allow(reader);
    reader.lambda.addEventSource(
      new DynamoEventSource(table.table, {
        ...props.batch,
        // From the start of the stream: a deploy must not lose what was written before the mapping was ready.
        startingPosition: StartingPosition.TRIM_HORIZON,
        filters: [
          FilterCriteria.filter({
            dynamodb: { Keys: { [TABLE.sk]: { S: items.flatMap((each) => FilterRule.isEqual(each)) } } },
          }),
        ],
        reportBatchItemFailures: true,
        bisectBatchOnError: true,
        retryAttempts: 8,
        onFailure: new SqsDlq(deadLetters.queue),
      }),
    );
    alarms.add(this, 'Lag', {
      metric: reader.lambda.metric('IteratorAge', { statistic: 'Maximum', period: FAULT_PERIOD }),
      threshold: Duration.minutes(5).toMilliseconds(),
      meaning: `A stream reader is more than five minutes behind; until it has caught up, ${consequence}`,
      runbook: 'stream-lag',
    });
  }
}
