import * as z from 'zod';
import { JUDGEMENT_TIMEOUT_MS } from '../judging/judging-limits.ts';

/** Reasons come before the answer: what a model has to justify first, it decides with more care. */
export const JudgeReasons = z.array(z.string().max(1_000)).max(5);
export const JudgeConfidence = z.number().min(0).max(1);

/** Settings that judges of the control plane share. */
export const JUDGE_REVIEWER_DEFAULTS = {
  family: 'any',
  timeoutMs: () => JUDGEMENT_TIMEOUT_MS,
} as const;
