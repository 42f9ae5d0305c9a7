import type * as z from 'zod';
import { DEFAULT_TIER_MODELS, TierModels } from '../../shared/contract/agents/tiers.ts';
import { DEFAULT_MODEL_PROVIDERS, ModelProviders } from '../../shared/contract/models/model-providers.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { ContainerCapacity } from '../../shared/control/admission/container-capacity.ts';
import type { DeployedStack } from './deployment.ts';

/** The environment of each function of a deployment. */
export type LambdaEnvironmentVariables = readonly Readonly<Record<string, string>>[];

/** Reads the environment of each function of a deployment. */
export async function readLambdaEnvironmentVariables(
  deployment: DeployedStack,
): Promise<LambdaEnvironmentVariables> {
  const { GetFunctionConfigurationCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
  const client = new LambdaClient();
  try {
    const environments: Record<string, string>[] = [];
    for (const FunctionName of deployment.resources.get('AWS::Lambda::Function') ?? []) {
      const { Environment } = await client.send(new GetFunctionConfigurationCommand({ FunctionName }));
      environments.push(Environment?.Variables ?? {});
    }
    return environments;
  } finally {
    client.destroy();
  }
}

const readSetting = <T>(
  environments: LambdaEnvironmentVariables,
  name: string,
  schema: z.ZodType<T>,
): T | null => {
  const text = environments.find((each) => each[name] !== undefined)?.[name];
  return text === undefined ? null : schema.parse(JSON.parse(text));
};

/** Returns the providers of the model gateway; without a deployment, the default ones. */
export const parseModelProviders = (environments: LambdaEnvironmentVariables | null): ModelProviders =>
  environments === null
    ? DEFAULT_MODEL_PROVIDERS
    : (readSetting(environments, FUNCTION_ENV_NAMES.modelProviders, ModelProviders) ?? {});

/** Returns the models of the tiers; if none are configured, the default ones. */
export const parseTierModels = (environments: LambdaEnvironmentVariables | null): TierModels =>
  (environments && readSetting(environments, FUNCTION_ENV_NAMES.tierModels, TierModels)) ??
  DEFAULT_TIER_MODELS;

/** Returns the capacity for containers; null: there is no deployment. */
export const parseContainerCapacity = (
  environments: LambdaEnvironmentVariables | null,
): ContainerCapacity | null =>
  environments && readSetting(environments, FUNCTION_ENV_NAMES.containerCapacity, ContainerCapacity);
