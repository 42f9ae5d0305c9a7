import * as z from 'zod';
import { StorableNumber } from '../../lib/stored-number.ts';
import { CheckOutcome } from '../check-outcome.ts';
import { GradingRecord } from '../rubric/grading-record.ts';

/** What a model may be asked about a patch. */
export const JUDGEMENT_KINDS = [
  'llm_review',
  'llm_judge',
  'quality_gate',
  'requirements_review',
  'decomposition',
  'verification',
  'expectations',
  'review',
  'review_pipeline',
  'red_team',
  'vision',
] as const;

export const REQUIREMENT_STATES = ['met', 'not_met', 'cannot_tell'] as const;

/** A requirement of the task as a reviewer has decided it, with the place that it looked at. */
export const ReviewedRequirement = z.object({
  requirement: z.string(),
  state: z.enum(REQUIREMENT_STATES),
  file: z.string().nullable(),
  line: z.number().int().nullable(),
  reason: z.string(),
});
export type ReviewedRequirement = z.infer<typeof ReviewedRequirement>;

/** A model's opinion about one tree, or why there is none. It adds doubt, never proof. */
export const Judgement = z.object({
  kind: z.enum(JUDGEMENT_KINDS),
  /** What it was asked about: a signal as `type: value`. */
  subject: z.string(),
  outcome: CheckOutcome,
  /** What it makes of the verdict. */
  verdict: z.enum(['pass', 'fail', 'refer']),
  /** 0 to 1, of the model's own word; null where it was not asked for one. */
  confidence: z.number().min(0).max(1).nullable(),
  /** 1 to 5, of the quality gate; absent: none was given. */
  score: z.number().int().min(1).max(5).optional(),
  /** Of a verification node; absent: it is none. */
  grading: GradingRecord.optional(),
  reasons: z.array(z.string()),
  /** Of the requirements review, in the order of the task; absent: it was not asked. */
  requirements: z.array(ReviewedRequirement).optional(),
  /** Attempts in the material to speak as somebody else; with any, no opinion lets the work out without a person. */
  injections: z.array(z.string()).default([]),
  /** Why it was asked, or was not. */
  request_reason: z.string(),
  model: z.string().nullable(),
  family: z.string().nullable(),
  prompt: z.object({ id: z.string(), version: z.number().int(), sha256: z.string() }).nullable(),
  /** Calibration of this model with this prompt that the verdict relied on; null: none. */
  calibration: z.string().nullable(),
  /** Calls that were made, also those that failed. Null: nobody knows, because whoever asks has not come back. */
  calls: z.number().int().nonnegative().nullable(),
  tokens: z.object({ input: z.number().int(), output: z.number().int() }).nullable(),
  /** Null: unknown price or unknown usage. */
  cost_usd: StorableNumber.nonnegative().nullable(),
  duration_ms: z.number().int().nonnegative(),
  /** Absent: no model was asked. */
  asked_at: z.iso.datetime().optional(),
});
export type Judgement = z.infer<typeof Judgement>;

/** When somebody was asked, and how long it took, as a judgement has it. */
export const judgementStartAndDuration = ({
  ms,
  asked_at,
}: ModelCallUsage): Pick<Judgement, 'duration_ms' | 'asked_at'> => ({
  duration_ms: ms,
  ...(asked_at !== undefined && { asked_at }),
});

/** What a judgement says of its asking where nobody was asked. */
export const USAGE_WITHOUT_MODEL_CALL = {
  confidence: null,
  injections: [],
  model: null,
  family: null,
  prompt: null,
  calls: 0,
  tokens: null,
  cost_usd: null,
  duration_ms: 0,
} satisfies Partial<Judgement>;

/** What it says where whoever asks has not come back: somebody may have been asked, and paid for. */
export const UNKNOWN_MODEL_CALL_USAGE = {
  ...USAGE_WITHOUT_MODEL_CALL,
  calls: null,
} satisfies Partial<Judgement>;
/** Whether work that has passed is looked at once more by a model, and why. */
export const RequirementsReviewDecision = z.object({
  outcome: z.enum(['asked', 'skipped', 'could_not_run']),
  reason: z.string(),
});
export type RequirementsReviewDecision = z.infer<typeof RequirementsReviewDecision>;
/** What asking has used, whatever came of it. */
export interface ModelCallUsage {
  readonly calls: number;
  /** Null: no call said what it used. */
  readonly tokens: { readonly input: number; readonly output: number } | null;
  readonly ms: number;
  /** When the first call was begun; absent: there was none, or nobody said. */
  readonly asked_at?: string;
}
