import { Duration, Validations } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Construct } from 'constructs';
import { FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import { EVENT_SOURCE, type EventName } from '../shared/control/events/event-schemas.ts';
import type { ForgeSetting } from '../shared/control/forge/forge-settings.ts';
import type { StackAlarms } from './alarms.ts';
import type { WorkAndRecordBuckets } from './buckets.ts';
import type { DeploymentEventBus } from './events.ts';
import { type CommonConstructProps, ServiceFunction } from './function.ts';
import { DeadLetterQueue } from './queues.ts';
import type { TasksTable } from './tasks-table.ts';

export interface ForgeStatusReporterProps {
  readonly common: CommonConstructProps;
  readonly alarms: StackAlarms;
  readonly table: TasksTable;
  readonly storage: WorkAndRecordBuckets;
  readonly events: DeploymentEventBus;
  /** Takes what forges tell. */
  readonly hook: ServiceFunction;
  /** Complete ARN of the secret. */
  readonly secretArn: string;
  readonly settings: readonly ForgeSetting[];
}

/** `Budget Spent` comes with `Task Failed`, and `Task Unverified` with `Task Done`: once is enough. */
const TOLD: readonly EventName[] = ['Task Done', 'Task Failed', 'Task Held'];

/** What those need who only have to know which there are. */
export const buildKnownForgesEnvironment = (settings: readonly ForgeSetting[]): Record<string, string> => ({
  [FUNCTION_ENV_NAMES.forges]: JSON.stringify(settings),
});

export interface ForgeClientSettings extends Pick<ForgeStatusReporterProps, 'settings'> {
  /** Complete ARN of the secret. @default - no webhook is believed */
  readonly secretArn: string | undefined;
}

/** What two functions need who speak with forges: the only ones that may read the secret. */
export const buildForgeClientEnvironment = ({
  secretArn,
  settings,
}: ForgeClientSettings): Record<string, string> => ({
  ...buildKnownForgesEnvironment(settings),
  [FUNCTION_ENV_NAMES.forgeSecret]: JSON.stringify(
    secretArn === undefined ? { via: 'none' } : { via: 'secret', arn: secretArn },
  ),
});

/** Tells forges how their tasks stand, as the events of the deployment say that something has happened. */
export class ForgeStatusReporter extends Construct {
  constructor(scope: Construct, id: string, props: ForgeStatusReporterProps) {
    super(scope, id);
    const { common, alarms, table, storage, events, hook, secretArn } = props;
    const deadLetters = new DeadLetterQueue(this, 'DeadLetters', {
      alarms,
      meaning:
        'A forge was not told how a task stands: it could not be reached, or refused, again and again.',
      runbook: 'forge-dead-letters',
      hasOwnPolicy: true,
    });
    Validations.of(deadLetters.queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason:
        'It is where invocations of a function go that failed; the rule looks at redrive policies only.',
    });
    const tell = new ServiceFunction(this, 'Tell', {
      common,
      name: 'forge-tell',
      description: 'Has forges say how tasks stand: checks, comments, labels, pull requests',
      callsOut: true,
      timeout: Duration.seconds(120),
      environment: {
        ...storage.environment,
        [FUNCTION_ENV_NAMES.table]: table.table.tableName,
        ...buildForgeClientEnvironment(props),
      },
    });
    table.allow(tell);
    storage.allow(tell, ['GetObject'], ['evidence/']);
    tell.lambda.configureAsyncInvoke({
      retryAttempts: 2,
      maxEventAge: Duration.hours(6),
      onFailure: new SqsDestination(deadLetters.queue),
    });
    new Rule(this, 'Told', {
      description: 'Tasks of which a forge is to say how they stand',
      eventBus: events.bus,
      eventPattern: { source: [EVENT_SOURCE], detailType: [...TOLD] },
      targets: [new LambdaFunction(tell.lambda)],
    });
    for (const each of [tell, hook])
      each.allow({ actions: ['secretsmanager:GetSecretValue'], on: [secretArn] });
  }
}
