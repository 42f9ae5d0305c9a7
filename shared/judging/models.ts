import * as z from 'zod';
import { BedrockRegion, ModelKey, ProviderUrl } from '../models/key.ts';
import { familyOf } from './family.ts';

/** What models are asked for, and by what. Only what is served is here: a model that nobody would ask is refused, not kept in silence. */
export const PURPOSES = {
  judge: 'the completion signals `llm_review` and `llm_judge`',
} as const satisfies Readonly<Record<string, string>>;
export type Purpose = keyof typeof PURPOSES;
const NAMES = Object.keys(PURPOSES) as Purpose[];

const Common = {
  model: z.string().min(1).max(200),
  /** Who makes the model, where its name does not tell. */
  family: z.string().min(1).max(50).optional(),
  /** Dollars per million tokens, where the price table does not know the model. */
  price: z.strictObject({ input: z.number().nonnegative(), output: z.number().nonnegative() }).optional(),
};
const keyed = { ...Common, key: ModelKey, url: ProviderUrl.optional() };

/** A model that answers questions, and who is asked. Bedrock needs no key: the judging function's role may call it. */
export const JudgeModel = z.discriminatedUnion('provider', [
  z.strictObject({
    provider: z.literal('bedrock'),
    ...Common,
    region: BedrockRegion.optional(),
    url: ProviderUrl.optional(),
  }),
  z.strictObject({ provider: z.literal('anthropic'), ...keyed }),
  z.strictObject({ provider: z.literal('openai'), ...keyed }),
  z.strictObject({ provider: z.literal('google'), ...keyed }),
  z.strictObject({ provider: z.literal('openrouter'), ...keyed }),
  z.strictObject({
    provider: z.literal('openai_compatible'),
    ...Common,
    key: ModelKey.optional(),
    url: ProviderUrl,
  }),
]);
export type JudgeModel = z.infer<typeof JudgeModel>;

/** Which model does what; a purpose without one is not served, and says so. */
export const JudgeModels = z.partialRecord(z.enum(NAMES), JudgeModel, {
  error: (issue) =>
    'keys' in issue ? `${issue['keys']} is not served; known: ${NAMES.join(', ')}` : undefined,
});
export type JudgeModels = z.infer<typeof JudgeModels>;

export const familyOfModel = ({ family, model }: Pick<JudgeModel, 'family' | 'model'>): string =>
  family ?? familyOf(model);
