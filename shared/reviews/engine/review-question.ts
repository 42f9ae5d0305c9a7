import type * as z from 'zod';
import { fencePrompt } from '../../lib/fenced-prompt.ts';
import type { ReviewQuestion } from './ask-model-port.ts';
import type { ReviewPiece } from './review-piece.ts';

/** Builds the question about these pieces: the only place where a reviewer's material is fenced. */
export function reviewQuestion<Schema extends z.ZodType>(
  settings: Omit<ReviewQuestion<Schema>, 'fencedText' | 'boundary' | 'injections'>,
  pieces: readonly ReviewPiece[],
): ReviewQuestion<Schema> {
  const { text, boundary, injections } = fencePrompt(pieces);
  return { ...settings, fencedText: text, boundary, injections };
}
