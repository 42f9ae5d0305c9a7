import { describeMissingOpinion, type MissingOpinionReason } from '../engine/missing-opinion.ts';
import type { PieceKind } from '../engine/review-piece.ts';
import type { GateReviewInput } from '../engine/reviewer.ts';

/** Settings that reviewers of the gates container share. */
export const GATE_REVIEWER_DEFAULTS = {
  family: 'any',
  timeoutMs: ({ timeoutMs }: GateReviewInput) => timeoutMs,
  shows: ['task', 'test_location', 'diff'] satisfies PieceKind[] as readonly PieceKind[],
} as const;

/** Returns the text of an absence for the result of a gate. */
export const describeMissingGateOpinion = (absence: MissingOpinionReason): string =>
  absence.code === 'no_answer' || absence.code === 'unreadable_answer' || absence.code === 'declined'
    ? `the model gave no answer: ${absence.why}`
    : describeMissingOpinion(absence);
