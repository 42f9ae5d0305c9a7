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
    summary: 'List dead letters by task, in the order in which they are retried',
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
    summary: 'Get one dead letter',
    refusalCodes: ['not_found'],
    response: DeadLetterView,
  },
  retryDeadLetter: {
    ...ACTION_ROUTE,
    path: '/dead-letters/{letter}/retry',
    summary: 'Retry a dead letter within a minute, after earlier ones of its task',
  },
  resolveDeadLetter: {
    ...ACTION_ROUTE,
    path: '/dead-letters/{letter}/resolve',
    summary: 'Mark a dead letter as resolved by hand',
  },
  abandonDeadLetter: {
    ...ACTION_ROUTE,
    path: '/dead-letters/{letter}/abandon',
    summary: 'Abandon a dead letter',
  },
} as const satisfies Record<string, RouteDefinition>;
