import {
  allJudgeModels,
  type JudgeModel,
  type JudgePurpose,
  modelsForPurpose,
} from '../../../shared/contract/models/judge-models.ts';
import { missingModelInstruction } from '../../../shared/reviews/engine/absence.ts';
import type { Judge } from '../../core/judge.ts';

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
          missing: `the model ${named} is not among those that are configured; ${missingModelInstruction(purpose)}`,
        };
  }
  const [model] = modelsForPurpose(models, purpose);
  return model ? { model } : { missing: missingModelInstruction(purpose) };
}
