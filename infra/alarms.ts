import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { CommonConstructProps } from './function.ts';

/** Every alarm names one of these pages of `docs/runbooks/`. */
export const ALARM_RUNBOOK_NAMES = [
  'unverified-ratio',
  'launch-dead-letters',
  'stream-dead-letters',
  'dead-letters',
  'forge-dead-letters',
  'oldest-message',
  'dispatcher-errors',
  'reconciler-errors',
  'stream-lag',
  'machine-failures',
  'api-server-errors',
  'logged-errors',
  'failed-tasks',
  'lost-containers',
  'throttles',
  'budget-stops',
  'reviews-not-run',
  'model-cost',
] as const;
export type AlarmRunbookName = (typeof ALARM_RUNBOOK_NAMES)[number];

export interface StackAlarmsProps {
  readonly common: CommonConstructProps;
  /** Gets every alarm by mail. @default - the topic has no subscriber */
  readonly email?: string | undefined;
}

export interface AlarmProps {
  readonly metric: IMetric;
  readonly threshold: number;
  /** @default GREATER_THAN_OR_EQUAL_TO_THRESHOLD */
  readonly comparison?: ComparisonOperator;
  /** One sentence: what it means that this alarm fires. */
  readonly meaning: string;
  readonly runbook: AlarmRunbookName;
}

/** The topic that all alarms publish to, and the one way to make an alarm. */
export class StackAlarms extends Construct {
  readonly topic: Topic;
  /** Of this topic, and of the other one that people subscribe to. */
  readonly key: Key;

  constructor(scope: Construct, id: string, props: StackAlarmsProps) {
    super(scope, id);
    const fromThisAccount = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } };
    const cloudWatch = new ServicePrincipal('cloudwatch.amazonaws.com');
    // CloudWatch cannot use the AWS managed key of SNS: publishing would fail without a trace.
    this.key = new Key(this, 'Key', {
      description: 'Encrypts the alarms of Assay',
      enableKeyRotation: true,
      // It protects messages on their way, and nothing that is stored: there is nothing to keep it for.
      removalPolicy: RemovalPolicy.DESTROY,
      pendingWindow: Duration.days(7),
    });
    this.key.addToResourcePolicy(
      new PolicyStatement({
        actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
        principals: [cloudWatch],
        // In a key policy, "*" is the key itself.
        resources: ['*'],
        conditions: fromThisAccount,
      }),
    );
    this.topic = new Topic(this, 'Topic', { masterKey: this.key, enforceSSL: true });
    // A topic with a policy of its own has lost the default one, which lets CloudWatch publish.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        principals: [cloudWatch],
        resources: [this.topic.topicArn],
        conditions: fromThisAccount,
      }),
    );
    if (props.email) this.topic.addSubscription(new EmailSubscription(props.email));
  }

  /** One period decides; no data means that nothing has gone wrong, because all metrics here count faults or work. */
  add(scope: Construct, id: string, props: AlarmProps): Alarm {
    const alarm = new Alarm(scope, id, {
      metric: props.metric,
      threshold: props.threshold,
      comparisonOperator: props.comparison ?? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${props.meaning} Runbook: docs/runbooks/${props.runbook}.md`,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    return alarm;
  }
}

/** Period of the alarms that count faults. */
export const FAULT_PERIOD = Duration.minutes(5);
