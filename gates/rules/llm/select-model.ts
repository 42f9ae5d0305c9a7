import {
  allJudgeModels,
  type JudgeModel,
  type JudgePurpose,
  modelsForPurpose,
} from '../../../shared/contract/models/judge-models.ts';
import type { Judge } from '../../core/judge.ts';

/** How a purpose without a model is served; said wherever one is missing. */
export const describeMissingModel = (purpose: JudgePurpose): string =>
  `no model provider is configured for \`${purpose}\`: name a model in \`assay:judges\` of the deployment, or with --models FILE of \`assay up\` and \`assay check\``;

/** The model that serves a purpose; a name in the base's configuration chooses among those that are configured, and adds none. */
export function selectJudgeModel(
  judge: Judge | null,
  purpose: JudgePurpose,
  named?: string,
): { readonly model: JudgeModel } | { readonly missing: string } {
  const models = judge?.models ?? {};
  if (named !== undefined) {
    const model = allJudgeModels(models).find((each) => each.model === named);
    return model
      ? { model }
      : {
          missing: `the model ${named} is not among those that are configured; ${describeMissingModel(purpose)}`,
        };
  }
  const [model] = modelsForPurpose(models, purpose);
  return model ? { model } : { missing: describeMissingModel(purpose) };
}
