import type * as z from 'zod';
import {
  allJudgeModels,
  type JudgeModel,
  type JudgeModels,
  judgeModelFamily,
  modelsForPurpose,
} from '../../contract/models/judge-models.ts';
import { modelFamily } from '../../contract/models/model-family.ts';
import type { JudgingRefusal } from './decision-reason.ts';
import type { MissingOpinionReason } from './missing-opinion.ts';
import type { ModelReviewer } from './reviewer.ts';

/** The maker whose model reviews what a model of this one has written, by the first word that its name has (2026-11). */
const REVIEWED_BY: readonly (readonly [writer: RegExp, reviewer: string])[] = [
  [/claude|haiku|sonnet|opus/, 'google'],
  [/gemini/, 'anthropic'],
  [/codex/, 'anthropic'],
  [/gpt/, 'google'],
  [/qwen/, 'anthropic'],
];
const OTHERWISE = 'google';

/** The maker that the mapping names for a writer; never its own. */
export function chooseReviewerFamily(writer: string): string {
  const name = writer.toLowerCase();
  return REVIEWED_BY.find(([pattern]) => pattern.test(name))?.[1] ?? OTHERWISE;
}

/** Tells whether one maker made both models: models of one maker err alike. */
export const isSameFamily = (model: Pick<JudgeModel, 'family' | 'model'>, writer: string): boolean =>
  judgeModelFamily(model) === modelFamily(writer);

/** Returns the models of other families than the writer's: first those of the maker that the mapping names. */
export function modelsOfOtherFamilies(models: readonly JudgeModel[], writer: string): JudgeModel[] {
  const first = chooseReviewerFamily(writer);
  const rank = (model: JudgeModel): number => (judgeModelFamily(model) === first ? 0 : 1);
  return models.filter((model) => !isSameFamily(model, writer)).sort((a, b) => rank(a) - rank(b));
}

export interface ReviewerModelOptions {
  readonly models: JudgeModels;
  /** The model that wrote the work; null: a program or a person did, or it is unknown. */
  readonly writer: string | null;
  /** The refusal to ask any model about the task, or null. */
  readonly budgetRefusal: JudgingRefusal | null;
  /** The one model that configuration asks for, among all that are configured. */
  readonly named?: string | undefined;
  /** The number of models to ask; absent: one. */
  readonly count?: number;
}

/** Returns the models that may be asked, or why none may: the one check of purpose, budget and family. */
export function chooseReviewerModels(
  { purpose, family }: Pick<ModelReviewer<z.ZodType, never>, 'purpose' | 'family'>,
  { models, writer, budgetRefusal, named, count = 1 }: ReviewerModelOptions,
): { readonly models: readonly [JudgeModel, ...JudgeModel[]] } | { readonly absence: MissingOpinionReason } {
  const configured =
    named === undefined
      ? modelsForPurpose(models, purpose)
      : allJudgeModels(models)
          .filter(({ model }) => model === named)
          .slice(0, 1);
  const [any] = configured;
  if (!any) return { absence: { code: 'no_model', purpose, named } };
  if (budgetRefusal !== null) return { absence: { code: 'budget_spent', refusal: budgetRefusal } };
  if (writer === null && family === 'known_other') return { absence: { code: 'unknown_writer' } };
  const [first, ...others] =
    writer === null || family === 'any' ? configured : modelsOfOtherFamilies(configured, writer);
  if (!first) return { absence: { code: 'same_family', model: any.model, writer: writer ?? '' } };
  return named === undefined && others.length + 1 < count
    ? { absence: { code: 'too_few_models', count, found: others.length + 1, purpose, writer: writer ?? '' } }
    : { models: [first, ...others] };
}
