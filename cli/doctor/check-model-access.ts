import type { TierModels } from '../../shared/contract/agents/tiers.ts';
import type { ModelProviders } from '../../shared/contract/models/model-providers.ts';
import { createMissingFinding, createOkFinding, type DoctorFinding } from './doctor-check.ts';

/** Model ids of Bedrock begin with the vendor. */
const PREFIX = 'anthropic.';

/** Checks access to the models of the tiers in Bedrock. Keys of other providers are checked with the secrets. */
export async function checkBedrockModelAccess(
  { anthropic }: ModelProviders,
  tiers: TierModels,
): Promise<DoctorFinding> {
  if (anthropic?.via !== 'bedrock') return createOkFinding('no tier uses Bedrock');
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
      const hasAccess =
        found?.authorizationStatus === 'AUTHORIZED' && found.regionAvailability === 'AVAILABLE';
      if (!hasAccess) refused.push(modelId);
    }
  } finally {
    client.destroy();
  }
  return refused.length === 0
    ? createOkFinding(wanted.join(', '))
    : createMissingFinding(
        `this account has no access to ${refused.join(', ')} here`,
        'Request access on the page "Model access" of Bedrock, name another region or other models (assay:models, assay:tierModels), or use a key; docs/how-to/models.md.',
      );
}
