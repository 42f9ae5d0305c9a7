import type { Judge } from '../../gates/core/judge.ts';
import type { GatesAssignment } from '../../shared/contract/messages/assignment.ts';

/** Who gates may ask: models behind the gateway, by a token that ends with this box. No key is here. */
export async function createGatewayJudge({
  model_access: opinions,
}: Pick<GatesAssignment, 'model_access'>): Promise<Judge | null> {
  if (!opinions) return null;
  // The protocols take longer to load than most gates take to run.
  const { createAskModel } = await import('../../shared/reviews/model-clients/ask-model.ts');
  return { models: opinions.models, ask: createAskModel({ readKey: async () => opinions.token }) };
}
