import { allJudgeModels, type JudgeModel, type JudgeModels, judgeModelFamily } from './judge-models.ts';
import type { ModelApiKeySource } from './model-key.ts';
import type { ModelProvider } from './model-providers.ts';
import type { ProviderName } from './protocols.ts';

/** Who is asked in the end: a provider of the gateway's kind, or a server that wants no key. */
export type GatewayModelEndpoint = ModelProvider;

/** How gates ask a model: they speak `speaks` to the gateway, which hands it on to `endpoint`. */
interface ModelRouting {
  readonly speaks: 'anthropic' | 'openai' | 'google' | 'openai_compatible';
  readonly vendor: ProviderName;
  readonly endpoint: GatewayModelEndpoint;
}

const keyed = (key: ModelApiKeySource, url: string | undefined): ModelProvider => ({
  ...key,
  ...(url && { url }),
});

const OPENROUTER = 'https://openrouter.ai/api/v1';

/** @throws for a model that the configuration's schema refuses. */
function modelRouting(model: JudgeModel): ModelRouting {
  switch (model.provider) {
    case 'bedrock': {
      const isAnthropic = judgeModelFamily(model) === 'anthropic';
      const { region, url } = model;
      return {
        speaks: isAnthropic ? 'anthropic' : 'openai_compatible',
        vendor: isAnthropic ? 'anthropic' : 'openai',
        // The name is Bedrock's own already.
        endpoint: {
          via: 'bedrock',
          endpoint: 'runtime',
          model_prefix: '',
          ...(region && { region }),
          ...(url && { url }),
        },
      };
    }
    case 'anthropic':
      return { speaks: 'anthropic', vendor: 'anthropic', endpoint: keyed(model.key, model.url) };
    case 'openai':
      return { speaks: 'openai', vendor: 'openai', endpoint: keyed(model.key, model.url) };
    case 'google':
      return { speaks: 'google', vendor: 'gemini', endpoint: keyed(model.key, model.url) };
    case 'openrouter':
      return {
        speaks: 'openai_compatible',
        vendor: 'openai',
        endpoint: keyed(model.key, model.url ?? OPENROUTER),
      };
    case 'openai_compatible':
      return {
        speaks: 'openai_compatible',
        vendor: 'openai',
        endpoint: model.key ? keyed(model.key, model.url) : { via: 'none', url: model.url },
      };
  }
}

/** A model that gates may ask through the gateway. */
export interface GatesModelRoute {
  readonly model: string;
  readonly vendor: ProviderName;
  readonly endpoint: GatewayModelEndpoint;
  /** Dollars per million tokens, where the configuration says it. */
  readonly price?: { readonly input: number; readonly output: number };
  /** The agent CLI of a challenger calls it: a share of the budget is kept for the adjudicator. */
  readonly isCalledByCli?: true;
}

/** What the gateway lets gates ask. */
export const listGatesModelRoutes = ({ challenger: _, ...models }: JudgeModels): GatesModelRoute[] =>
  allJudgeModels(models, 'container').map(toRoute);

/** Models that the gateway lets a challenger call: its own, and the adjudicator of what it hands in. */
export const listChallengerModelRoutes = ({ challenger, adjudicator }: JudgeModels): GatesModelRoute[] => [
  ...(challenger ? [{ ...toRoute(challenger), isCalledByCli: true as const }] : []),
  ...(adjudicator ? [toRoute(adjudicator)] : []),
];

function toRoute(model: JudgeModel): GatesModelRoute {
  const { vendor, endpoint } = modelRouting(model);
  return { model: model.model, vendor, endpoint, ...(model.price && { price: model.price }) };
}

/** Where the token of a gates box stands for a key; there is no such variable. */
export const GATES_CONTAINER_TOKEN_KEY: ModelApiKeySource = {
  via: 'environment',
  variable: 'TOKEN_OF_THIS_BOX',
};

/** The models that gates may ask, as the box knows them: the gateway is the provider, and its token the key. */
export function routeModelsThroughGateway(
  { judge: _, ...models }: JudgeModels,
  gatewayUrl: string,
): JudgeModels {
  const inBox = (model: JudgeModel): JudgeModel => {
    const { speaks } = modelRouting(model);
    const { price, limits } = model;
    const url = speaks === 'openai' || speaks === 'openai_compatible' ? `${gatewayUrl}/v1` : gatewayUrl;
    return {
      provider: speaks,
      model: model.model,
      family: judgeModelFamily(model),
      ...(price && { price }),
      ...(limits && { limits }),
      key: GATES_CONTAINER_TOKEN_KEY,
      url,
    };
  };
  const { adjudicator, cross_model, examiner, intent, rubric, test_writer } = models;
  return {
    ...(intent && { intent: inBox(intent) }),
    ...(rubric && { rubric: inBox(rubric) }),
    ...(test_writer && { test_writer: inBox(test_writer) }),
    ...(examiner && { examiner: inBox(examiner) }),
    ...(adjudicator && { adjudicator: inBox(adjudicator) }),
    ...(cross_model && { cross_model: cross_model.map(inBox) }),
  };
}
