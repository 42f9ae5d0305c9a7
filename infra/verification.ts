import { Aws, Duration } from 'aws-cdk-lib';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { JudgeModels } from '../shared/contract/models/judge-models.ts';
import { FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import type { StackAlarms } from './alarms.ts';
import type { WorkAndRecordBuckets } from './buckets.ts';
import type { CredentialMinter } from './credential-minter.ts';
import { ExpressStateMachine } from './express-state-machine.ts';
import { type CommonConstructProps, ServiceFunction } from './function.ts';
import { ModelJudgeFunction } from './judge.ts';
import { buildCascadeDefinition } from './machines/cascade.ts';
import { buildJanitorDefinition } from './machines/janitor.ts';
import type { TasksTable } from './tasks-table.ts';
import type { WorkQueuesAndContainers } from './work-queues-and-containers.ts';

export interface VerificationStateMachinesProps {
  readonly common: CommonConstructProps;
  readonly alarms: StackAlarms;
  readonly table: TasksTable;
  readonly storage: WorkAndRecordBuckets;
  readonly workforce: WorkQueuesAndContainers;
  readonly minter: CredentialMinter;
  readonly judges: JudgeModels;
  /** Of the judging function, beside its models. */
  readonly judgeEnvironment: Record<string, string>;
  /** Of the resolver, beside the table. */
  readonly resolverEnvironment: Record<string, string>;
  /** Of the cascade function, beside the table. */
  readonly environment: Record<string, string>;
}

/** The two state machines and the functions that do their steps. */
export class VerificationStateMachines extends Construct {
  readonly cascade: StateMachine;
  readonly janitor: StateMachine;

  constructor(scope: Construct, id: string, props: VerificationStateMachinesProps) {
    super(scope, id);
    const { common, alarms, table, storage, workforce, minter } = props;
    const janitorSteps = new ServiceFunction(this, 'JanitorSteps', {
      common,
      name: 'janitor',
      description: 'Reduces the evidence of an attempt to a verdict',
      environment: {
        [FUNCTION_ENV_NAMES.table]: table.table.tableName,
        ...storage.environment,
        [FUNCTION_ENV_NAMES.knownJudgeModels]: JSON.stringify(props.judges),
      },
    });
    table.allow(janitorSteps);
    storage.allow(janitorSteps, ['GetObject'], ['evidence/']);

    const judge = new ModelJudgeFunction(this, 'Judge', {
      common,
      table,
      storage,
      models: props.judges,
      environment: props.judgeEnvironment,
    }).function;

    const janitor = new ExpressStateMachine(this, 'Janitor', {
      common,
      alarms,
      definition: buildJanitorDefinition({
        partition: Aws.PARTITION,
        janitorFunction: janitorSteps.lambda.functionArn,
        judgeFunction: judge.lambda.functionArn,
      }),
      permissions: [
        {
          actions: ['lambda:InvokeFunction'],
          on: [janitorSteps.lambda.functionArn, judge.lambda.functionArn],
        },
      ],
      failureMeaning: 'The janitor could not come to a verdict; the reconciler has it asked again.',
    });

    const cascadeSteps = new ServiceFunction(this, 'CascadeSteps', {
      common,
      name: 'cascade',
      description: 'Chooses the model, decides on the verdict, settles the task',
      environment: { ...props.environment, [FUNCTION_ENV_NAMES.table]: table.table.tableName },
    });
    table.allow(cascadeSteps);

    const resolver = new ServiceFunction(this, 'Resolver', {
      common,
      name: 'resolver',
      description: 'Asks repositories which commit a base ref stands for',
      callsOut: true,
      // Three questions of two requests each, with pauses; below the time that the machine gives a step.
      timeout: Duration.seconds(58),
      environment: {
        [FUNCTION_ENV_NAMES.table]: table.table.tableName,
        ...minter.environment,
        ...props.resolverEnvironment,
      },
    });
    table.allow(resolver);
    minter.allow(resolver);

    const { agentQueues, gatesQueue } = workforce;
    const cascade = new ExpressStateMachine(this, 'Cascade', {
      common,
      alarms,
      definition: buildCascadeDefinition({
        partition: Aws.PARTITION,
        cascadeFunction: cascadeSteps.lambda.functionArn,
        resolverFunction: resolver.lambda.functionArn,
        janitorMachine: janitor.machine.stateMachineArn,
        agentQueues: [agentQueues[1].queueUrl, agentQueues[2].queueUrl, agentQueues[3].queueUrl],
        gatesQueue: gatesQueue.queueUrl,
      }),
      permissions: [
        {
          actions: ['lambda:InvokeFunction'],
          on: [cascadeSteps.lambda.functionArn, resolver.lambda.functionArn],
        },
        { actions: ['sqs:SendMessage'], on: workforce.queues.map((queue) => queue.queueArn) },
        { actions: ['states:StartExecution'], on: [janitor.machine.stateMachineArn] },
      ],
      failureMeaning: 'A cascade execution has failed; the reconciler starts another one.',
    });
    this.cascade = cascade.machine;
    this.janitor = janitor.machine;
  }
}
