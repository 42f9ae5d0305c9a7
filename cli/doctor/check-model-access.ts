import type { TierModels } from '../../shared/contract/agents/tiers.ts';
import { describeModelNotOffered, isModelNotOffered } from '../../shared/contract/models/bedrock-models.ts';
import type { ModelProviders } from '../../shared/contract/models/model-providers.ts';
import { type BedrockRequest, buildBedrockRequest } from '../../shared/store/bedrock-request.ts';
import { createMissingFinding, createOkFinding, type DoctorFinding } from './doctor-check.ts';

/** Milliseconds that a model may take for one token. */
const PATIENCE_MS = 60_000;

/** Sends a request for one token. Returns the reason why it was not answered, or null. */
async function modelRefusal({ url, headers, body, modelId, region }: BedrockRequest): Promise<string | null> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: new Uint8Array(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const text = await answer.text();
  if (answer.ok) return null;
  return isModelNotOffered(answer.status, text)
    ? describeModelNotOffered(modelId, region)
    : `${modelId} in ${region}: ${answer.status} ${text.slice(0, 300)}`;
}

/**
 * Asks the model of each tier at Bedrock for one token, signed as the gateway signs; three such requests cost less than
 * a cent. Keys of other providers are checked with the secrets.
 */
export async function checkBedrockModelAccess(
  { anthropic }: ModelProviders,
  tiers: TierModels,
): Promise<DoctorFinding> {
  if (anthropic?.via !== 'bedrock') return createOkFinding('no tier uses Bedrock');
  const { BedrockClient } = await import('@aws-sdk/client-bedrock');
  const client = new BedrockClient();
  const models = [...new Set(Object.values(tiers))];
  const answered: string[] = [];
  const refused: string[] = [];
  try {
    const from = { region: await client.config.region(), credentials: await client.config.credentials() };
    for (const model of models) {
      const fields = { model, max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] };
      const call = {
        path: '/v1/messages',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
        body: Buffer.from(JSON.stringify(fields)),
      };
      const request = await buildBedrockRequest(anthropic, 'anthropic', call, from);
      const refusal = await modelRefusal(request);
      if (refusal === null) answered.push(request.modelId);
      else refused.push(refusal);
    }
  } finally {
    client.destroy();
  }
  return refused.length === 0
    ? createOkFinding(`answered: ${answered.join(', ')}`)
    : createMissingFinding(
        refused.join('; '),
        'Request access on the page "Model access" of Bedrock, name another region, geography or other models (assay:models, assay:tierModels), or use a key; docs/how-to/models.md.',
      );
}
