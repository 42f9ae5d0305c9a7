import * as z from 'zod';
import { defineLifecycle } from '../../lib/lifecycle.ts';

export const LETTER_STATUSES = ['pending', 'retrying', 'resolved', 'abandoned'] as const;
export const LetterStatus = z.enum(LETTER_STATUSES);
export type LetterStatus = z.infer<typeof LetterStatus>;

export const LETTER_LIFECYCLE = defineLifecycle(
  'dead letter',
  { statuses: LETTER_STATUSES, initial: ['pending'], terminal: ['resolved', 'abandoned'] },
  {
    lease: { from: ['pending'], to: 'retrying', reason: 'it is due, and the first open one of its lane' },
    succeed: {
      from: ['retrying'],
      to: 'resolved',
      reason: 'the operation was done again, or is no longer needed',
    },
    put_back: { from: ['retrying'], to: 'pending', reason: 'it failed again, or its lease ran out' },
    give_up: {
      from: ['retrying'],
      to: 'abandoned',
      reason: 'it failed for the last time, or what it is about is gone',
    },
    come_again: { from: ['resolved'], to: 'pending', reason: 'the same operation was given up again' },
    requeue: { from: ['pending', 'abandoned'], to: 'pending', reason: 'a person wants it tried now' },
    resolve: { from: ['pending', 'abandoned'], to: 'resolved', reason: 'a person has dealt with it by hand' },
    abandon: { from: ['pending'], to: 'abandoned', reason: 'a person says that it is worth nothing more' },
  },
);
export type LetterEvent = (typeof LETTER_LIFECYCLE.events)[number];

export const isOpenDeadLetterStatus = (status: LetterStatus): boolean => !LETTER_LIFECYCLE.isTerminal(status);
