import * as z from 'zod';

export const LETTER_STATUSES = ['pending', 'retrying', 'resolved', 'abandoned'] as const;
export const LetterStatus = z.enum(LETTER_STATUSES);
export type LetterStatus = z.infer<typeof LetterStatus>;

interface Transition {
  readonly from: readonly LetterStatus[];
  readonly to: LetterStatus;
  readonly why: string;
}

/** The one table of what may happen to a dead letter: the commands, the diagram in the docs and the property tests are made from it. */
export const LETTER_TRANSITIONS = {
  lease: { from: ['pending'], to: 'retrying', why: 'it is due, and the first open one of its lane' },
  succeed: {
    from: ['retrying'],
    to: 'resolved',
    why: 'the operation was done again, or is no longer needed',
  },
  put_back: { from: ['retrying'], to: 'pending', why: 'it failed again, or its lease ran out' },
  give_up: {
    from: ['retrying'],
    to: 'abandoned',
    why: 'it failed for the last time, or what it is about is gone',
  },
  come_again: { from: ['resolved'], to: 'pending', why: 'the same operation was given up again' },
  requeue: { from: ['pending', 'abandoned'], to: 'pending', why: 'a person wants it tried now' },
  resolve: { from: ['pending', 'abandoned'], to: 'resolved', why: 'a person has dealt with it by hand' },
  abandon: { from: ['pending'], to: 'abandoned', why: 'a person says that it is worth nothing more' },
} as const satisfies Record<string, Transition>;
export type LetterEvent = keyof typeof LETTER_TRANSITIONS;

export const isOpenStatus = (status: LetterStatus): boolean => status === 'pending' || status === 'retrying';

/** The status after `event`, or null when the event is not allowed in `status`. */
export function statusAfterEvent(status: LetterStatus, event: LetterEvent): LetterStatus | null {
  const transition: Transition = LETTER_TRANSITIONS[event];
  return transition.from.includes(status) ? transition.to : null;
}
