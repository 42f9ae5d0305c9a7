import type { UntrustedPromptPiece } from '../../lib/fenced-prompt.ts';

/** What a piece of a review's material is. Selection goes by kind; the label is only shown. */
export const PIECE_KINDS = [
  'task',
  'question',
  'observed',
  'diff',
  'requirement',
  'base',
  'failing_test',
  'change_context',
  'omitted',
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

/**
 * Cuts the longest pieces until all have at most `limit` characters together. A cut piece ends with what is missing, so that
 * the model does not take it for the whole.
 */
export function cutPiecesToFit(pieces: readonly ReviewPiece[], limit: number): ReviewPiece[] {
  const lengths = pieces.map(({ text }) => text.length).sort((a, b) => a - b);
  let room = limit;
  let share = Number.POSITIVE_INFINITY;
  for (const [index, length] of lengths.entries()) {
    const even = Math.floor(room / (lengths.length - index));
    if (length > even) {
      share = even;
      break;
    }
    room -= length;
  }
  return pieces.map((piece) =>
    piece.text.length <= share
      ? piece
      : {
          ...piece,
          text: `${piece.text.slice(0, share)}\n[${piece.text.length - share} characters of this piece are not shown]`,
        },
  );
}
