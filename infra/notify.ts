import { Duration } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import { EVENT_NAMES, EVENT_SOURCE } from '../shared/control/events/event-schemas.ts';
import type { NotifyTarget } from '../shared/control/notify/notify-settings.ts';
import { MAX_NOTICE_ATTEMPTS } from '../shared/control/notify/retry-schedule.ts';
import type { DeploymentEventBus } from './events.ts';
import { type CommonConstructProps, ServiceFunction } from './function.ts';
import type { TasksTable } from './tasks-table.ts';

export interface NotifierProps {
  readonly common: CommonConstructProps;
  readonly table: TasksTable;
  readonly events: DeploymentEventBus;
  /** Takes deliveries that were given up. */
  readonly deadLetters: Queue;
  readonly targets: readonly NotifyTarget[];
  /** Complete ARN of the secret with addresses and keys. */
  readonly secretArn: string;
  /** Base URL of the API, which serves the page. */
  readonly apiUrl: string;
}

const TIMEOUT = Duration.seconds(30);

/** Sends notifications to chats and webhooks: the bus feeds a queue, and the queue a function. */
export class Notifier extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, props: NotifierProps) {
    super(scope, id);
    const { common, table, events, deadLetters, targets, secretArn, apiUrl } = props;
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(TIMEOUT.toSeconds() * 6),
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: MAX_NOTICE_ATTEMPTS },
    });
    const send = new ServiceFunction(this, 'Send', {
      common,
      name: 'notify',
      description: 'Sends notifications to chats and webhooks',
      callsOut: true,
      timeout: TIMEOUT,
      environment: {
        [FUNCTION_ENV_NAMES.table]: table.table.tableName,
        [FUNCTION_ENV_NAMES.apiUrl]: apiUrl,
        [FUNCTION_ENV_NAMES.notify]: JSON.stringify(targets),
        [FUNCTION_ENV_NAMES.notifyQueue]: this.queue.queueUrl,
        [FUNCTION_ENV_NAMES.notifySecret]: JSON.stringify({ via: 'secret', arn: secretArn }),
      },
    });
    table.allow(send);
    send.allow({ actions: ['secretsmanager:GetSecretValue'], on: [secretArn] });
    send.allow({ actions: ['sqs:SendMessage'], on: [this.queue.queueArn] });
    send.lambda.addEventSource(
      new SqsEventSource(this.queue, { batchSize: 5, reportBatchItemFailures: true, maxConcurrency: 5 }),
    );
    new Rule(this, 'Events', {
      description: 'Events of which targets may be told',
      eventBus: events.bus,
      eventPattern: { source: [EVENT_SOURCE], detailType: [...EVENT_NAMES] },
      targets: [new SqsQueue(this.queue)],
    });
  }

  /** Tells targets of these alarms too. */
  addAlarms(alarms: readonly Alarm[]): void {
    new Rule(this, 'AlarmChanges', {
      description: 'Alarms of which targets may be told',
      eventPattern: {
        source: ['aws.cloudwatch'],
        detailType: ['CloudWatch Alarm State Change'],
        detail: { alarmName: alarms.map(({ alarmName }) => alarmName), state: { value: ['ALARM'] } },
      },
      targets: [new SqsQueue(this.queue)],
    });
  }
}
