import type { ModelCallUsage } from '../../contract/judgement/judgement.ts';
import type { JudgeModel } from '../../contract/models/judge-models.ts';
import { usageCostUsd } from '../../contract/models/model-prices.ts';

/** Dollars of what was asked; null where usage or price is not known. */
export function computeJudgeCallCostUsd(
  model: JudgeModel,
  { tokens }: Pick<ModelCallUsage, 'tokens'>,
  at: string,
): number | null {
  if (tokens === null) return null;
  const { price } = model;
  if (price) return (tokens.input * price.input + tokens.output * price.output) / 1e6;
  return usageCostUsd(
    model.model,
    {
      input_tokens: tokens.input,
      output_tokens: tokens.output,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
    },
    at,
  );
}
