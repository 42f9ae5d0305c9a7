import { type JudgeModel, judgeModelFamily } from '../../contract/models/judge-models.ts';
import { describeAbsence } from '../engine/absence.ts';
import { isSameFamily } from '../engine/engine.ts';

/** The maker whose model reviews what a model of this one has written, by the first word that its name has (2026-11). */
const REVIEWED_BY: readonly (readonly [writer: RegExp, reviewer: string])[] = [
  [/claude|haiku|sonnet|opus/, 'google'],
  [/gemini/, 'anthropic'],
  [/codex/, 'anthropic'],
  [/gpt/, 'google'],
  [/qwen/, 'anthropic'],
];
const OTHERWISE = 'google';

/** A model may not review what a model of its own maker has written: they err alike. */
export class SameFamilyError extends Error {
  constructor(reviewer: string, writer: string) {
    super(describeAbsence({ code: 'same_family', model: reviewer, writer }));
  }
}

/** A model that may review the work of another. There is none of the writer's family: it cannot be made. */
export class ReviewerModel {
  readonly model: JudgeModel;

  /** @throws SameFamily */
  constructor(model: JudgeModel, writer: string) {
    if (isSameFamily(model, writer)) throw new SameFamilyError(model.model, writer);
    this.model = model;
  }
}

/** The maker that the mapping names for a writer; never its own. */
export function reviewerFamilyFor(writer: string): string {
  const name = writer.toLowerCase();
  return REVIEWED_BY.find(([pattern]) => pattern.test(name))?.[1] ?? OTHERWISE;
}

/** Those of the configured models that may review what `writer` has written: first those of the maker that the mapping names. */
export function eligibleReviewerModels(models: readonly JudgeModel[], writer: string): ReviewerModel[] {
  const first = reviewerFamilyFor(writer);
  const others = models.filter((model) => !isSameFamily(model, writer));
  return [
    ...others.filter((model) => judgeModelFamily(model) === first),
    ...others.filter((model) => judgeModelFamily(model) !== first),
  ].map((model) => new ReviewerModel(model, writer));
}
