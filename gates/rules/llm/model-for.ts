import {
  allModels,
  type JudgeModel,
  modelsFor,
  type Purpose,
} from '../../../shared/contract/models/models.ts';
import type { Judge } from '../../core/judge.ts';

/** How a purpose without a model is served; said wherever one is missing. */
export const howTo = (purpose: Purpose): string =>
  `no model provider is configured for \`${purpose}\`: name a model in \`assay:judges\` of the deployment, or with --models FILE of \`assay up\` and \`assay check\``;

/** The model that serves a purpose; a name in the base's configuration chooses among those that are configured, and adds none. */
export function modelFor(
  judge: Judge | null,
  purpose: Purpose,
  named?: string,
): { readonly model: JudgeModel } | { readonly missing: string } {
  const models = judge?.models ?? {};
  if (named !== undefined) {
    const model = allModels(models).find((each) => each.model === named);
    return model
      ? { model }
      : { missing: `the model ${named} is not among those that are configured; ${howTo(purpose)}` };
  }
  const [model] = modelsFor(models, purpose);
  return model ? { model } : { missing: howTo(purpose) };
}
