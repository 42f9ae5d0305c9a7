import {
  DeadLetterActionBody,
  DeadLetterList,
  DeadLettersQuery,
  DeadLetterView,
} from './dead-letter-schemas.ts';
import type { RouteDefinition } from './route.ts';

const ACTION_ROUTE = {
  method: 'POST',
  function: 'api-submit',
  callers: ['operator'],
  right: 'review',
  isDeploymentWide: true,
  body: DeadLetterActionBody,
  refusalCodes: ['not_found', 'conflict'],
  response: DeadLetterView,
} as const;

/** Operations that have failed for good. */
export const DEAD_LETTER_ROUTES = {
  listDeadLetters: {
    method: 'GET',
    path: '/dead-letters',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    isDeploymentWide: true,
    summary: 'Operations that have failed for good, by task, each in the order in which it is tried again',
    query: DeadLettersQuery,
    response: DeadLetterList,
  },
  getDeadLetter: {
    method: 'GET',
    path: '/dead-letters/{letter}',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    isDeploymentWide: true,
    summary: 'One dead letter',
    refusalCodes: ['not_found'],
    response: DeadLetterView,
  },
  retryDeadLetter: {
    ...ACTION_ROUTE,
    path: '/dead-letters/{letter}/retry',
    summary: 'Have one tried again within a minute, after those of its task that came before it',
  },
  resolveDeadLetter: {
    ...ACTION_ROUTE,
    path: '/dead-letters/{letter}/resolve',
    summary: 'Say that it was dealt with by hand',
  },
  abandonDeadLetter: {
    ...ACTION_ROUTE,
    path: '/dead-letters/{letter}/abandon',
    summary: 'Say that it is worth nothing more',
  },
} as const satisfies Record<string, RouteDefinition>;
