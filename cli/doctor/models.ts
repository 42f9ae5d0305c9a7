import type { TierModels } from '../../shared/contract/agents/tiers.ts';
import type { Providers } from '../../shared/contract/models/providers.ts';
import { type Finding, missing, ok } from './check.ts';

/** Bedrock's names of models begin with their vendor's. */
const PREFIX = 'anthropic.';

/** Whether the models of the tiers may be called, where Bedrock answers for them; a key is another check's business. */
export async function modelAccess({ anthropic }: Providers, tiers: TierModels): Promise<Finding> {
  if (anthropic?.via !== 'bedrock') return ok('no vendor of the tiers is asked through Bedrock');
  const { BedrockClient, GetFoundationModelAvailabilityCommand } = await import('@aws-sdk/client-bedrock');
  const client = new BedrockClient(anthropic.region ? { region: anthropic.region } : {});
  const wanted = [...new Set(Object.values(tiers))];
  const refused: string[] = [];
  try {
    for (const model of wanted) {
      const modelId = `${anthropic.model_prefix ?? PREFIX}${model}`;
      const found = await client
        .send(new GetFoundationModelAvailabilityCommand({ modelId }))
        .catch((error: unknown) => {
          if (error instanceof Error && /^(ResourceNotFound|Validation)Exception$/.test(error.name))
            return null;
          throw error;
        });
      const may = found?.authorizationStatus === 'AUTHORIZED' && found.regionAvailability === 'AVAILABLE';
      if (!may) refused.push(modelId);
    }
  } finally {
    client.destroy();
  }
  return refused.length === 0
    ? ok(wanted.join(', '))
    : missing(
        `this account may not call ${refused.join(', ')} here`,
        'Ask for access on the page "Model access" of Bedrock, name another region or other models (assay:models, assay:tierModels), or use a key; docs/models.md.',
      );
}
