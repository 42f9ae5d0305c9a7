import { Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { allJudgeModels, type JudgeModel, type JudgeModels } from '../shared/contract/models/judge-models.ts';
import { FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import { JUDGING_TIMEOUT_SECONDS } from '../shared/reviews/judging/judging-limits.ts';
import type { WorkAndRecordBuckets } from './buckets.ts';
import { type CommonConstructProps, ServiceFunction } from './function.ts';
import type { TasksTable } from './tasks-table.ts';

export interface ModelJudgeFunctionProps {
  readonly common: CommonConstructProps;
  readonly table: TasksTable;
  readonly storage: WorkAndRecordBuckets;
  readonly models: JudgeModels;
  /** What the deployment says of autonomy and of budgets, beside the rest. */
  readonly environment: Record<string, string>;
}

/** The function that asks models about work. It reads a task, its evidence and its patch, may call the models that are configured, and writes nothing but what it sets aside for that. */
export class ModelJudgeFunction extends Construct {
  readonly function: ServiceFunction;

  constructor(
    scope: Construct,
    id: string,
    { common, table, storage, models, environment }: ModelJudgeFunctionProps,
  ) {
    super(scope, id);
    this.function = new ServiceFunction(this, 'Ask', {
      common,
      name: 'judge',
      description: 'Asks models about the work of an attempt',
      // Longer than all that is asked one after the other may take, shorter than the machine waits.
      timeout: Duration.seconds(JUDGING_TIMEOUT_SECONDS),
      // Twelve megabytes of pictures, as base64 in a request that is signed, take some 280 MB beside the usual.
      ...(models.vision && { memory: 1_024 }),
      environment: {
        [FUNCTION_ENV_NAMES.table]: table.table.tableName,
        ...storage.environment,
        [FUNCTION_ENV_NAMES.judgeModels]: JSON.stringify(models),
        [FUNCTION_ENV_NAMES.metricsNamespace]: Stack.of(this).stackName,
        ...environment,
      },
    });
    table.allow(this.function);
    storage.allow(this.function, ['GetObject'], ['evidence/', 'artifacts/']);
    for (const model of allJudgeModels(models, 'janitor')) grantModelInvocation(this.function, model);
  }
}

/** Lets a function call one model: by its own role, or with a key that it may read. */
export function grantModelInvocation(who: ServiceFunction, model: JudgeModel): void {
  const stack = Stack.of(who);
  if (model.provider === 'bedrock') {
    who.allow({
      actions: ['bedrock:InvokeModel'],
      on: [
        `arn:${stack.partition}:bedrock:*::foundation-model/${model.model.replace(/^(?:us|eu|apac|jp|au|global)\./, '')}`,
        stack.formatArn({
          service: 'bedrock',
          region: model.region ?? stack.region,
          resource: 'inference-profile',
          resourceName: model.model,
        }),
      ],
      because: 'An inference profile calls its model in regions of its own choice.',
    });
    return;
  }
  const { key } = model;
  if (key?.via === 'secret') who.allow({ actions: ['secretsmanager:GetSecretValue'], on: [key.arn] });
  if (key?.via === 'parameter')
    who.allow({
      actions: ['ssm:GetParameter'],
      on: [stack.formatArn({ service: 'ssm', resource: 'parameter', resourceName: key.name.slice(1) })],
    });
}
