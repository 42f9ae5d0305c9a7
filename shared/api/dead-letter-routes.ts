import { LetterList, LettersQuery, LetterView, LetterWord } from './dead-letter-schemas.ts';
import type { Route } from './route.ts';

const WORD = {
  method: 'POST',
  function: 'api-submit',
  callers: ['operator'],
  right: 'review',
  body: LetterWord,
  refuses: ['not_found', 'conflict'],
  answer: LetterView,
} as const;

/** Operations that have failed for good. */
export const DEAD_LETTER_ROUTES = {
  deadLetters: {
    method: 'GET',
    path: '/dead-letters',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'Operations that have failed for good, by task, each in the order in which it is tried again',
    query: LettersQuery,
    answer: LetterList,
  },
  deadLetter: {
    method: 'GET',
    path: '/dead-letters/{letter}',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'One dead letter',
    refuses: ['not_found'],
    answer: LetterView,
  },
  retryDeadLetter: {
    ...WORD,
    path: '/dead-letters/{letter}/retry',
    summary: 'Have one tried again within a minute, after those of its task that came before it',
  },
  resolveDeadLetter: {
    ...WORD,
    path: '/dead-letters/{letter}/resolve',
    summary: 'Say that it was dealt with by hand',
  },
  abandonDeadLetter: {
    ...WORD,
    path: '/dead-letters/{letter}/abandon',
    summary: 'Say that it is worth nothing more',
  },
} as const satisfies Record<string, Route>;
