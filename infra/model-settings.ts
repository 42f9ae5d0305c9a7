import * as z from 'zod';
import { JudgeModels } from '../shared/contract/models/judge-models.ts';
import { DEFAULT_MODEL_PROVIDERS, ModelProviders } from '../shared/contract/models/model-providers.ts';
import { findChallengerAdapterProblems } from '../shared/control/model-gateway/challenger-adapter.ts';
import {
  type ExistingNetworkSetting,
  FunctionNetworkSetting,
  VpcEndpointId,
} from './existing-network-setting.ts';
import { MODEL_ENDPOINTS, type ModelEndpointKind } from './model-endpoint.ts';
import { concurrency, json } from './setting-values.ts';

/** Settings of models: who answers, who judges, and how the model gateway is reached. */
export const MODEL_SETTINGS = {
  models: json(ModelProviders)
    .prefault(DEFAULT_MODEL_PROVIDERS)
    .describe(
      'JSON of who answers for the models of anthropic, openai and gemini: Bedrock by the role of the gateway, or a key in a secret or a parameter. docs/how-to/models.md.',
    ),
  judges: json(JudgeModels)
    .prefault({})
    .describe(
      'JSON of which model judges, by purpose: provider, model, key. None: judged signals ask a person.',
    ),
  modelGateway: z
    .url({ protocol: /^https$/, error: 'must be an https:// URL' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('A gateway of your own in the place of ours: then usage is what agents claim.'),
  modelEndpoint: z
    .enum(MODEL_ENDPOINTS)
    .default('function-url')
    .describe(
      'How containers reach our gateway: by the URL of its function, a REST API, or a private REST API.',
    ),
  modelVpcEndpoint: VpcEndpointId.optional().describe(
    'Endpoint for execute-api in the network of assay:vpc, which a private modelEndpoint is reached by.',
  ),
  modelVpc: json(FunctionNetworkSetting)
    .optional()
    .describe(
      'JSON of the network that our gateway runs in, to reach models there: {"subnets", "security_groups"}.',
    ),
  modelConcurrency: concurrency.describe(
    'Lambda executions reserved for model calls, and their limit: long answers cannot use up those of the API.',
  ),
};

interface ModelSettings {
  readonly judges: JudgeModels;
  readonly modelGateway?: string | undefined;
  readonly modelEndpoint: ModelEndpointKind;
  readonly modelVpcEndpoint?: string | undefined;
  readonly modelVpc?: FunctionNetworkSetting | undefined;
  /** Network of the containers. */
  readonly vpc?: ExistingNetworkSetting | undefined;
}

/** Returns what does not go together in the settings of models. */
export function findModelSettingProblems({
  judges,
  modelGateway,
  modelEndpoint,
  modelVpcEndpoint,
  modelVpc,
  vpc,
}: ModelSettings): { readonly path: PropertyKey[]; readonly message: string }[] {
  const problems = findChallengerAdapterProblems(judges).map(({ path, message }) => ({
    path: ['judges', ...path],
    message,
  }));
  if (judges.challenger !== undefined && modelGateway !== undefined)
    problems.push({
      path: ['judges', 'challenger'],
      message:
        'needs the gateway of this deployment, which keeps its budget: remove it or assay:modelGateway',
    });
  if (modelVpc !== undefined && modelEndpoint === 'function-url')
    problems.push({
      path: ['modelVpc'],
      message:
        'goes with assay:modelEndpoint rest-api or private: the URL of a function in a network streams no answers',
    });
  if ((modelVpcEndpoint !== undefined) !== (modelEndpoint === 'private' && vpc !== undefined))
    problems.push({
      path: ['modelVpcEndpoint'],
      message: 'goes with assay:modelEndpoint private and assay:vpc: set all three, or not this one',
    });
  return problems;
}
