import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption, QueuePolicy } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { LAUNCH_MESSAGE_VISIBILITY_SECONDS } from '../shared/contract/messages/step-messages.ts';
import { type AlarmRunbookName, FAULT_PERIOD, type StackAlarms } from './alarms.ts';

const ENCRYPTED = { encryption: QueueEncryption.SQS_MANAGED } as const;

/** Refuses requests without TLS to all of the queues, by one policy: a policy for each would be as many resources. */
export function requireTls(scope: Construct, queues: readonly Queue[]): void {
  const policy = new QueuePolicy(scope, 'QueuePolicy', { queues: [...queues] });
  policy.document.addStatements(
    new PolicyStatement({
      sid: 'DenyWithoutTls',
      effect: Effect.DENY,
      principals: [new AnyPrincipal()],
      actions: ['sqs:*'],
      // In the policy of a queue this is the queue.
      resources: ['*'],
      conditions: { Bool: { 'aws:SecureTransport': 'false' } },
    }),
  );
}

export interface DeadLetterQueueProps {
  readonly alarms: StackAlarms;
  /** What has failed when something lies in here. */
  readonly meaning: string;
  readonly runbook: AlarmRunbookName;
  /** Whether the queue has a policy of its own, as one needs that something else writes to. Otherwise: {@link requireTls}. */
  readonly hasOwnPolicy: boolean;
}

/** Keeps what could not be handled for 14 days, the longest that SQS offers, and says so at once. */
export class DeadLetterQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, props: DeadLetterQueueProps) {
    super(scope, id);
    this.queue = new Queue(this, 'Queue', {
      ...ENCRYPTED,
      enforceSSL: props.hasOwnPolicy,
      retentionPeriod: Duration.days(14),
      // Of who writes them down, as Lambda asks: six times its limit.
      visibilityTimeout: Duration.minutes(5),
    });
    props.alarms.add(this, 'NotEmpty', {
      // In-flight messages count too: an alarm must not go away because somebody looks at the messages.
      metric: new MathExpression({
        expression: 'visible + inFlight',
        label: 'Dead letters',
        period: FAULT_PERIOD,
        usingMetrics: {
          visible: this.queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum' }),
          inFlight: this.queue.metricApproximateNumberOfMessagesNotVisible({ statistic: 'Maximum' }),
        },
      }),
      threshold: 1,
      meaning: props.meaning,
      runbook: props.runbook,
    });
  }
}

export interface LaunchMessageQueueProps {
  readonly alarms: StackAlarms;
  /** What the messages launch, for the alarms' descriptions. */
  readonly launches: string;
  /** A message that is older fires an alarm. */
  readonly patience: Duration;
  /** Takes what was given up. */
  readonly deadLetters: Queue;
}

/** Launch messages on their way to the dispatcher. Needs {@link requireTls}. */
export class LaunchMessageQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, props: LaunchMessageQueueProps) {
    super(scope, id);
    const { alarms, launches, patience, deadLetters } = props;
    this.queue = new Queue(this, 'Queue', {
      ...ENCRYPTED,
      // So that a batch in work is not delivered twice; the reconciler takes no box for lost before it was.
      visibilityTimeout: Duration.seconds(LAUNCH_MESSAGE_VISIBILITY_SECONDS),
      retentionPeriod: Duration.days(4),
      // The most that SQS has. A receive is spent each time that Fargate has no capacity: this is a day of waiting for a small quota.
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 1_000 },
    });
    alarms.add(this, 'OldestMessage', {
      metric: this.queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: FAULT_PERIOD }),
      threshold: patience.toSeconds(),
      meaning: `Launches of ${launches} have waited for more than ${patience.toMinutes()} minutes.`,
      runbook: 'oldest-message',
    });
  }
}
