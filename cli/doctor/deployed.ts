import type * as z from 'zod';
import { DEFAULT_TIER_MODELS, TierModels } from '../../shared/contract/agents/tiers.ts';
import { DEFAULT_PROVIDERS, Providers } from '../../shared/contract/models/providers.ts';
import { ENV } from '../../shared/contract/names.ts';
import { BoxRoom } from '../../shared/control/admission/box-room.ts';
import type { Deployment } from './deployment.ts';

/** What the functions of a deployment were told, one entry for each function. */
export type Told = readonly Readonly<Record<string, string>>[];

/** Asks each function of a deployment once. */
export async function askFunctions(deployment: Deployment): Promise<Told> {
  const { GetFunctionConfigurationCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
  const client = new LambdaClient();
  try {
    const told: Record<string, string>[] = [];
    for (const FunctionName of deployment.resources.get('AWS::Lambda::Function') ?? []) {
      const { Environment } = await client.send(new GetFunctionConfigurationCommand({ FunctionName }));
      told.push(Environment?.Variables ?? {});
    }
    return told;
  } finally {
    client.destroy();
  }
}

const readAs = <T>(told: Told, name: string, schema: z.ZodType<T>): T | null => {
  const text = told.find((each) => each[name] !== undefined)?.[name];
  return text === undefined ? null : schema.parse(JSON.parse(text));
};

/** The providers that the gateway was given; those of a default deployment before it is there (`told` is null). */
export const providersOf = (told: Told | null): Providers =>
  told === null ? DEFAULT_PROVIDERS : (readAs(told, ENV.modelProviders, Providers) ?? {});

/** The models of the tiers; the default ones where nothing says otherwise. */
export const tierModelsOf = (told: Told | null): TierModels =>
  (told && readAs(told, ENV.tierModels, TierModels)) ?? DEFAULT_TIER_MODELS;

/** How much room boxes were promised; null: there is no deployment that says so. */
export const roomOf = (told: Told | null): BoxRoom | null => told && readAs(told, ENV.boxRoom, BoxRoom);
