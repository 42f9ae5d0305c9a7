import { familyOf } from '../../contract/models/family.ts';
import { familyOfModel, type JudgeModel } from '../../contract/models/models.ts';

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
export class SameFamily extends Error {
  constructor(reviewer: string, writer: string) {
    super(`${reviewer} is of the same family as ${writer}, which wrote this`);
  }
}

/** A model that may review the work of another. There is none of the writer's family: it cannot be made. */
export class Reviewer {
  readonly model: JudgeModel;

  /** @throws SameFamily */
  constructor(model: JudgeModel, writer: string) {
    if (familyOfModel(model) === familyOf(writer)) throw new SameFamily(model.model, writer);
    this.model = model;
  }
}

/** The maker that the mapping names for a writer; never its own. */
export function reviewingFamily(writer: string): string {
  const name = writer.toLowerCase();
  return REVIEWED_BY.find(([pattern]) => pattern.test(name))?.[1] ?? OTHERWISE;
}

/** Those of the configured models that may review what `writer` has written: first those of the maker that the mapping names. */
export function reviewersOf(models: readonly JudgeModel[], writer: string): Reviewer[] {
  const first = reviewingFamily(writer);
  const others = models.filter((model) => familyOfModel(model) !== familyOf(writer));
  return [
    ...others.filter((model) => familyOfModel(model) === first),
    ...others.filter((model) => familyOfModel(model) !== first),
  ].map((model) => new Reviewer(model, writer));
}
