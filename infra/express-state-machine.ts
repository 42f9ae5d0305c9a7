import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { FAULT_PERIOD, type StackAlarms } from './alarms.ts';
import type { CommonConstructProps } from './function.ts';
import { buildVendedLogGroupName } from './log-groups.ts';
import type { StateDefinitionJson } from './machines/state-definitions.ts';
import { grantPermission, type IamPermission, InlinePolicyRole } from './permissions.ts';

export interface ExpressStateMachineProps {
  readonly common: CommonConstructProps;
  readonly alarms: StackAlarms;
  readonly definition: StateDefinitionJson;
  /** What the states may do. */
  readonly permissions: readonly IamPermission[];
  /** What it means that an execution fails. */
  readonly failureMeaning: string;
}

/** An Express state machine told in the Amazon States Language, with a role and a log of its own and an alarm on failed executions. */
export class ExpressStateMachine extends Construct {
  readonly machine: StateMachine;

  constructor(scope: Construct, id: string, props: ExpressStateMachineProps) {
    super(scope, id);
    const role = new InlinePolicyRole(this, 'Role', 'states.amazonaws.com');
    for (const permission of props.permissions) grantPermission(role, permission);
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'The CloudWatch Logs delivery actions that Step Functions asks for know no resource.',
    });
    this.machine = new StateMachine(this, 'Machine', {
      stateMachineType: StateMachineType.EXPRESS,
      definitionBody: DefinitionBody.fromString(Stack.of(this).toJsonString(props.definition)),
      role,
      logs: {
        destination: new LogGroup(this, 'Log', {
          logGroupName: buildVendedLogGroupName(this, `states/${id.toLowerCase()}`),
          retention: props.common.logRetention,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        // Of those that end well the table says all, and a line for each of their events would cost more than they do.
        level: LogLevel.ERROR,
        includeExecutionData: false,
      },
    });
    Validations.of(this.machine).acknowledge(
      {
        id: 'AwsSolutions-SF2',
        reason:
          'Every execution is named by its task and run, and each log line, record and attempt carries them; X-Ray would ask for rights on every trace of the account.',
      },
      {
        id: 'AwsSolutions-SF1',
        reason:
          'What fails is logged. What an execution has done is in the table and in the records; a line for each event of those that end well would cost more than the executions.',
      },
    );
    props.alarms.add(this, 'Failures', {
      metric: new MathExpression({
        // Each has data only when it has happened, and a sum with one that has none has none.
        expression: 'FILL(failed, 0) + FILL(timedOut, 0)',
        label: 'Executions that failed',
        period: FAULT_PERIOD,
        usingMetrics: {
          failed: this.machine.metricFailed({ statistic: 'Sum' }),
          timedOut: this.machine.metricTimedOut({ statistic: 'Sum' }),
        },
      }),
      threshold: 1,
      meaning: props.failureMeaning,
      runbook: 'machine-failures',
    });
  }
}
