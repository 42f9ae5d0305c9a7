import type { UntrustedPromptPiece } from '../../lib/fenced-prompt.ts';

/** What a piece of a review's material is. Selection goes by kind; the label is only shown. */
export const PIECE_KINDS = [
  'task',
  'question',
  'observed',
  'diff',
  'rule_notes',
  'agent_summary',
  'changed_files',
  'date',
  'expectation',
  'criterion',
  'probe_limit',
  'rubric',
  'probes',
  'handoff',
  'work',
  'pictures',
  'reviewer_instructions',
  'test_location',
] as const;
export type PieceKind = (typeof PIECE_KINDS)[number];

/** A piece of what a reviewer is shown. */
export interface ReviewPiece extends UntrustedPromptPiece {
  readonly kind: PieceKind;
}

/** Returns the pieces of these kinds, in the order of `kinds`. */
export const selectPieces = (pieces: readonly ReviewPiece[], kinds: readonly PieceKind[]): ReviewPiece[] =>
  kinds.flatMap((kind) => pieces.filter((piece) => piece.kind === kind));
