import { Duration, Stack } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import { EVENT_SOURCE, type EventName } from '../shared/control/events/event-schemas.ts';
import type { DeploymentEventBus } from './events.ts';
import { type CommonConstructProps, ServiceFunction } from './function.ts';
import type { TasksTable } from './tasks-table.ts';

export interface TraceExporterProps {
  readonly common: CommonConstructProps;
  readonly table: TasksTable;
  readonly events: DeploymentEventBus;
  /** Where OTLP over HTTP is taken. */
  readonly endpoint: string;
  /** Complete ARN of a secret with headers for it, as JSON. @default - none are sent */
  readonly secretArn?: string | undefined;
}

const ENDS: readonly EventName[] = ['Task Done', 'Task Failed', 'Task Cancelled'];

/** Tells a collector of each task that has ended, behind the events: the way of a task knows nothing of it. */
export class TraceExporter extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, props: TraceExporterProps) {
    super(scope, id);
    const { common, table, events, endpoint, secretArn } = props;
    const tell = new ServiceFunction(this, 'Tell', {
      common,
      name: 'traces',
      description: 'Tells a collector of tasks that have ended, as traces',
      callsOut: true,
      environment: {
        [FUNCTION_ENV_NAMES.table]: table.table.tableName,
        [FUNCTION_ENV_NAMES.otlpEndpoint]: endpoint,
        [FUNCTION_ENV_NAMES.metricsNamespace]: Stack.of(this).stackName,
        ...(secretArn && {
          [FUNCTION_ENV_NAMES.otlpSecret]: JSON.stringify({ via: 'secret', arn: secretArn }),
        }),
      },
    });
    this.function = tell;
    table.allow(tell);
    // A collector that is away for longer misses traces; the records have all that is in them.
    tell.lambda.configureAsyncInvoke({ retryAttempts: 2, maxEventAge: Duration.hours(1) });
    if (secretArn !== undefined) tell.allow({ actions: ['secretsmanager:GetSecretValue'], on: [secretArn] });
    new Rule(this, 'Ended', {
      description: 'Tasks that have ended, for a trace of each',
      eventBus: events.bus,
      eventPattern: { source: [EVENT_SOURCE], detailType: [...ENDS] },
      targets: [new LambdaFunction(tell.lambda)],
    });
  }
}
