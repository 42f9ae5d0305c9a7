import * as z from 'zod';
import { ChallengeSettings, ExamMode } from '../check-outcome.ts';
import { modelFamily } from './model-family.ts';
import { BedrockRegion, ModelApiKeySource, PlainHttp, ProviderUrl, refinePlainHttp } from './model-key.ts';

/**
 * What models are asked for, by whom and by what. Only what is served is here: a model that nobody would ask is refused, not kept in
 * silence. `container`: a gate or a challenger asks, from its container by way of the model gateway.
 */
export const JUDGE_PURPOSES = {
  requirements_review: {
    by: 'janitor',
    description: 'each task that has passed, where that can still change something',
  },
  judge: {
    by: 'janitor',
    description: 'the completion signals `llm_review`, `llm_judge` and `quality_gate`',
  },
  decomposer: { by: 'janitor', description: 'verification nodes with `decomposer: llm`' },
  review: {
    by: 'janitor',
    description: 'the reviewers of `.assay/review_pipeline.yaml`; one model or several',
  },
  red_team: { by: 'janitor', description: 'workflows with `red_team`, of work that has passed all else' },
  vision: {
    by: 'janitor',
    description: 'workflows with `vision` and `verifier: llm_vision`; it must read pictures',
  },
  intent: { by: 'container', description: 'the gate `intent_verification`' },
  rubric: { by: 'both', description: 'the gate `review_rubric`, and verification nodes with `grader: llm`' },
  test_writer: { by: 'container', description: 'the gate `integration_test_gen`' },
  examiner: {
    by: 'container',
    description: 'acceptance tests, from the task and the base alone; of another maker than the writer',
  },
  adjudicator: { by: 'container', description: 'each failing acceptance test: whether the task demands it' },
  challenger: {
    by: 'container',
    description:
      'each task that has passed all else: an agent CLI that tries to prove the patch wrong; of another maker than the writer',
  },
  cross_model: { by: 'container', description: 'the gate `cross_model`; one model or several' },
} as const satisfies Readonly<
  Record<string, { readonly by: 'janitor' | 'container' | 'both'; readonly description: string }>
>;
export type JudgePurpose = keyof typeof JUDGE_PURPOSES;
const NAMES = Object.keys(JUDGE_PURPOSES) as JudgePurpose[];

/**
 * Limits of one model, for those that are smaller or slower than the questions assume, such as a self-hosted one. Absent: the
 * limits of each question.
 */
export const JudgeModelLimits = z.strictObject({
  /** Seconds for one answer with its retries. */
  timeout_s: z.number().int().min(5).max(220).optional(),
  /** Questions that one process asks it at the same time. */
  max_concurrent: z.number().int().min(1).max(32).optional(),
  /** Most tokens of what it is shown, estimated at three characters each; the longest pieces are cut, and say so. */
  max_input_tokens: z.number().int().min(1_000).max(1_000_000).optional(),
  max_output_tokens: z.number().int().min(256).max(64_000).optional(),
});
export type JudgeModelLimits = z.infer<typeof JudgeModelLimits>;

/** Most reviewers that may be configured. */
const MAX_REVIEWERS = 9;

const Common = {
  model: z.string().min(1).max(200),
  /** Who makes the model, where its name does not tell. */
  family: z.string().min(1).max(50).optional(),
  /** Dollars per million tokens, where the price table does not know the model. */
  price: z.strictObject({ input: z.number().nonnegative(), output: z.number().nonnegative() }).optional(),
  limits: JudgeModelLimits.optional(),
  /** It reads pictures: asked of the model for `vision`, since no provider's protocol tells. */
  supports_vision: z.boolean().optional(),
  /** Of an examiner: what its acceptance tests make of a verdict where repository and task do not say. */
  mode: ExamMode.optional(),
  /** Of a challenger: the agent CLI that it runs in, as `adapter` of a task. Absent: the CLI of the model's maker. */
  adapter: z.looseObject({ kind: z.string() }).optional(),
  /** Of a challenger: settings where repository and task do not say otherwise. */
  challenge: ChallengeSettings.optional(),
  /** What `assay judge calibrate` has measured of it: each counts for one prompt, by its digest. */
  calibrations: z
    .array(
      z.strictObject({
        id: z.string().regex(/^cal-[0-9a-f]{12}$/, 'must be the name of a calibration'),
        prompt: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex'),
      }),
    )
    .max(20)
    .optional(),
};
const keyed = { ...Common, key: ModelApiKeySource, url: ProviderUrl.optional(), plain_http: PlainHttp };

/** A model that answers questions, and who is asked. Bedrock needs no key: the judging function's role may call it. */
export const JudgeModel = z.discriminatedUnion('provider', [
  z
    .strictObject({
      provider: z.literal('bedrock'),
      ...Common,
      region: BedrockRegion.optional(),
      url: ProviderUrl.optional(),
    })
    .superRefine(refinePlainHttp),
  z.strictObject({ provider: z.literal('anthropic'), ...keyed }).superRefine(refinePlainHttp),
  z.strictObject({ provider: z.literal('openai'), ...keyed }).superRefine(refinePlainHttp),
  z.strictObject({ provider: z.literal('google'), ...keyed }).superRefine(refinePlainHttp),
  z.strictObject({ provider: z.literal('openrouter'), ...keyed }).superRefine(refinePlainHttp),
  z
    .strictObject({
      provider: z.literal('openai_compatible'),
      ...Common,
      key: ModelApiKeySource.optional(),
      url: ProviderUrl,
      plain_http: PlainHttp,
    })
    .superRefine(refinePlainHttp),
]);
export type JudgeModel = z.infer<typeof JudgeModel>;

/** Bedrock speaks the protocols of these makers only, beside its own, which the gateway does not hand on. */
const GATEWAY_FAMILIES = ['anthropic', 'openai'];
const GatesJudgeModel = JudgeModel.refine(
  (model) => model.provider !== 'bedrock' || GATEWAY_FAMILIES.includes(judgeModelFamily(model)),
  { path: ['model'], message: `gates can ask Bedrock for models of ${GATEWAY_FAMILIES.join(' and ')} only` },
);
const VisionModel = JudgeModel.refine(({ supports_vision: sees }) => sees === true, {
  path: ['supports_vision'],
  message: 'must be true of a model that is shown pictures',
});

/** Fields that belong to one purpose. */
const OWN_FIELDS = { mode: 'examiner', adapter: 'challenger', challenge: 'challenger' } as const;
type OwnField = keyof typeof OWN_FIELDS;

function refuseFieldsOfOtherPurposes(models: object, context: z.RefinementCtx): void {
  for (const [purpose, value] of Object.entries(models))
    for (const model of typeof value === 'object' ? [value].flat() : [])
      for (const field of Object.keys(OWN_FIELDS) as OwnField[])
        if (model?.[field] !== undefined && OWN_FIELDS[field] !== purpose)
          context.addIssue({
            code: 'custom',
            path: [purpose, field],
            message: `is a field of ${OWN_FIELDS[field]} only`,
          });
}

/** Which model does what; a purpose without one is not served, and says so. */
const SHAPE = {
  judge: JudgeModel.optional(),
  requirements_review: JudgeModel.optional(),
  decomposer: JudgeModel.optional(),
  review: z
    .union([z.array(JudgeModel).min(1).max(MAX_REVIEWERS), JudgeModel.transform((one) => [one])])
    .optional(),
  red_team: JudgeModel.optional(),
  vision: VisionModel.optional(),
  intent: GatesJudgeModel.optional(),
  rubric: GatesJudgeModel.optional(),
  test_writer: GatesJudgeModel.optional(),
  examiner: GatesJudgeModel.optional(),
  adjudicator: GatesJudgeModel.optional(),
  challenger: GatesJudgeModel.optional(),
  /** Who writes is reviewed by a model of another maker. */
  cross_model: z
    .union([z.array(GatesJudgeModel).min(1).max(MAX_REVIEWERS), GatesJudgeModel.transform((one) => [one])])
    .optional(),
} satisfies Readonly<Record<JudgePurpose, z.ZodType>>;

/** `off`: no purpose gets a model that its configuration does not name. */
const defaults = z.literal('off').optional();

export const JudgeModels = z
  .strictObject(
    { ...SHAPE, defaults },
    {
      error: (issue) =>
        'keys' in issue ? `${issue['keys']} is not served; known: ${NAMES.join(', ')}` : undefined,
    },
  )
  .superRefine(refuseFieldsOfOtherPurposes);
export type JudgeModels = z.infer<typeof JudgeModels>;

/** Those that serve a purpose, in the order in which they are named. */
export const modelsForPurpose = (models: JudgeModels, purpose: JudgePurpose): readonly JudgeModel[] =>
  [models[purpose] ?? []].flat();

/** All of them, or those that one side asks. */
export const allJudgeModels = (models: JudgeModels, by?: 'janitor' | 'container'): JudgeModel[] =>
  NAMES.filter((purpose) => by === undefined || [by, 'both'].includes(JUDGE_PURPOSES[purpose].by)).flatMap(
    (purpose) => [...modelsForPurpose(models, purpose)],
  );

export const judgeModelFamily = ({ family, model }: Pick<JudgeModel, 'family' | 'model'>): string =>
  family ?? modelFamily(model);

/** The calibration of a model that was made with this very prompt; null: none was. */
export const calibrationIdFor = (
  { calibrations }: Pick<JudgeModel, 'calibrations'>,
  prompt: { readonly sha256: string } | null,
): string | null => calibrations?.findLast((each) => each.prompt === prompt?.sha256)?.id ?? null;

/** Purposes whose model has to be of another maker than the writer's. */
export const INDEPENDENT_PURPOSES = ['examiner', 'challenger'] as const satisfies readonly JudgePurpose[];

/**
 * Returns why models that have to be independent are not: a sentence for each that names its field. Only a maker that all writers
 * share is refused; where the writers have several, each task is decided by its own.
 */
export function dependentJudgeModelProblems(models: JudgeModels, writers: readonly string[]): string[] {
  const families = new Set(writers.map(modelFamily));
  const [only, ...others] = families;
  if (only === undefined || others.length > 0) return [];
  return INDEPENDENT_PURPOSES.flatMap((purpose) => {
    const model = models[purpose];
    return model && judgeModelFamily(model) === only
      ? [
          `${purpose}.model is ${model.model}, of the same maker (${only}) as all models that write; name a model of another maker, or set ${purpose}.family if it has one`,
        ]
      : [];
  });
}

/** Model of another purpose, without what belongs to that purpose. */
const borrowModel = ({
  mode: _,
  adapter: __,
  challenge: ___,
  supports_vision: ____,
  ...model
}: JudgeModel): JudgeModel => JudgeModel.parse(model);

/**
 * Adds the reviews that are on as soon as any model is configured: the requirements review, and where a model of another maker than the
 * writers' is there, acceptance tests with their adjudicator. A challenger costs as much as an attempt, so it is only named explicitly.
 * @param writers models that write; empty: they are not known, and each task is decided by its own
 */
export function addDefaultReviews(models: JudgeModels, writers: readonly string[] = []): JudgeModels {
  if (models.defaults === 'off') return models;
  // Those that the same side asks come first: no other function gets their keys.
  const listFrom = (...sides: readonly ('janitor' | 'container')[]): JudgeModel[] =>
    sides.flatMap((side) => allJudgeModels(models, side)).map(borrowModel);
  const [first] = listFrom('janitor', 'container');
  if (first === undefined) return models;
  const canGatesAsk = (model: JudgeModel): boolean => GatesJudgeModel.safeParse(model).success;
  const examiner =
    models.examiner ??
    listFrom('container', 'janitor').find(
      (model) => canGatesAsk(model) && dependentJudgeModelProblems({ examiner: model }, writers).length === 0,
    );
  const adjudicator = models.adjudicator ?? (examiner && borrowModel(examiner));
  return {
    ...models,
    requirements_review: models.requirements_review ?? first,
    ...(examiner && { examiner }),
    ...(adjudicator && { adjudicator }),
  };
}
