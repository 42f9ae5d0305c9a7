import { Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { allJudgeModels, type JudgeModels } from '../shared/contract/models/judge-models.ts';
import type { ModelProvider, ModelProviders } from '../shared/contract/models/model-providers.ts';
import { FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import type { FunctionNetworkSetting } from './existing-network-setting.ts';
import { type CommonConstructProps, ServiceFunction } from './function.ts';
import { grantModelInvocation } from './judge.ts';
import { ModelEndpoint, type ModelEndpointKind } from './model-endpoint.ts';
import type { FargateNetwork } from './network.ts';
import type { TasksTable } from './tasks-table.ts';

export interface ModelGatewayFunctionProps {
  readonly common: CommonConstructProps;
  readonly table: TasksTable;
  readonly providers: ModelProviders;
  /** What gates may ask; those of other purposes are left out. */
  readonly judges: JudgeModels;
  /** Calls at a time; 0 reserves none. */
  readonly concurrency: number;
  readonly endpoint: ModelEndpointKind;
  /** Network of the containers. */
  readonly network: FargateNetwork;
  readonly vpcEndpoint?: string | undefined;
  /** Network that the function runs in, to reach models that only it reaches. @default - none of the account */
  readonly ownNetwork?: FunctionNetworkSetting | undefined;
  /** Beside the table and the providers. */
  readonly environment: Record<string, string>;
}

/** The longest that a Lambda may run: a long answer of a strong model takes minutes. */
const LONGEST_CALL = Duration.minutes(15);

/**
 * The way from the containers to the models: the one place that holds a key or may call Bedrock. A caller without the token of
 * a running attempt is turned away after one read.
 */
export class ModelGatewayFunction extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, props: ModelGatewayFunctionProps) {
    super(scope, id);
    const { common, table, providers } = props;
    const gateway = new ServiceFunction(this, 'Gateway', {
      common,
      name: 'models',
      description: 'Hands model calls of running attempts on to their providers, and counts them',
      timeout: LONGEST_CALL,
      callsOut: true,
      // It waits and copies; the share of a CPU that comes with this is enough for what one answer brings.
      memory: 256,
      reservedConcurrency: props.concurrency,
      network: props.ownNetwork,
      environment: {
        ...props.environment,
        [FUNCTION_ENV_NAMES.table]: table.table.tableName,
        [FUNCTION_ENV_NAMES.modelProviders]: JSON.stringify(providers),
        [FUNCTION_ENV_NAMES.judgeModels]: JSON.stringify(props.judges),
        [FUNCTION_ENV_NAMES.metricsNamespace]: Stack.of(this).stackName,
      },
    });
    table.allow(gateway);
    for (const provider of Object.values(providers)) if (provider) this.allowProvider(gateway, provider);
    for (const model of allJudgeModels(props.judges, 'container')) grantModelInvocation(gateway, model);
    this.url = new ModelEndpoint(this, 'Endpoint', {
      gateway: gateway.lambda,
      kind: props.endpoint,
      network: props.network,
      vpcEndpoint: props.vpcEndpoint,
    }).url;
  }

  private allowProvider(gateway: ServiceFunction, provider: ModelProvider): void {
    const stack = Stack.of(this);
    if (provider.via === 'secret')
      gateway.allow({ actions: ['secretsmanager:GetSecretValue'], on: [provider.arn] });
    if (provider.via === 'parameter')
      gateway.allow({
        actions: ['ssm:GetParameter'],
        on: [
          stack.formatArn({ service: 'ssm', resource: 'parameter', resourceName: provider.name.slice(1) }),
        ],
      });
    if (provider.via !== 'bedrock') return;
    const region = provider.region ?? stack.region;
    if (provider.endpoint === 'mantle')
      gateway.allow({
        actions: ['bedrock-mantle:CreateInference'],
        on: [stack.formatArn({ service: 'bedrock-mantle', region, resource: 'project', resourceName: '*' })],
        because:
          'A project is where Bedrock keeps its accounts; the default one exists from the first call on. Which model is called, the gateway decides for each attempt.',
      });
    else
      gateway.allow({
        actions: ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'],
        on: [
          `arn:${stack.partition}:bedrock:*::foundation-model/*`,
          stack.formatArn({ service: 'bedrock', region, resource: 'inference-profile', resourceName: '*' }),
        ],
        because:
          "Which models there are is the task's and the tiers' business, and an inference profile calls them in regions of its own choice. Which one is called, the gateway decides for each attempt.",
      });
  }
}
