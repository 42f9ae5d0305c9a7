import type { TABLE_INDEXES, TableItemKind } from '../shared/contract/resource-names.ts';
import type { ServiceFunctionName } from './bundles.ts';

/** Which kinds of items a function may use each DynamoDB action on, and which indexes it may query. */
export interface FunctionTableAccess {
  readonly GetItem?: readonly TableItemKind[];
  readonly BatchGetItem?: readonly TableItemKind[];
  readonly PutItem?: readonly TableItemKind[];
  readonly UpdateItem?: readonly TableItemKind[];
  readonly DeleteItem?: readonly TableItemKind[];
  readonly Query?: readonly TableItemKind[];
  readonly indexes?: readonly (keyof typeof TABLE_INDEXES)[];
}

/**
 * The one table of who touches what in the table: the roles and their tests are made from it.
 * Who reads a task reads the last sign of life of its agent, too.
 * Who writes a task may read the meters of its attempts: what an attempt has used is written down with its end.
 * Nobody here writes operator tokens: a person does, with credentials of their own.
 */
export const TABLE_ACCESS_BY_FUNCTION = {
  'api-authorizer': { GetItem: ['task', 'heartbeat', 'token', 'launch'] },
  'api-submit': {
    GetItem: [
      'task',
      'heartbeat',
      'meter',
      'belief',
      'deadLetter',
      'request',
      'completion',
      'tuning',
      'provider',
    ],
    BatchGetItem: ['task'],
    PutItem: ['task', 'belief', 'deadLetter', 'request', 'completion', 'tuning', 'approvedTree', 'provider'],
    Query: ['belief', 'count', 'dailyMetrics'],
  },
  'api-work': {
    GetItem: ['task', 'heartbeat', 'lock', 'claim', 'meter', 'mergedWork'],
    // Tasks that wait for the one that is claimed: enough of them make it a foundation.
    BatchGetItem: ['task'],
    PutItem: ['task', 'lock', 'claim'],
    UpdateItem: ['heartbeat'],
    DeleteItem: ['lock'],
    Query: ['lock'],
    indexes: ['byQueue', 'byWait'],
  },
  'api-upload': { GetItem: ['task', 'heartbeat'], UpdateItem: ['uploads'] },
  'api-evidence': { GetItem: ['task', 'heartbeat', 'meter'], PutItem: ['task'] },
  'api-read': {
    GetItem: ['task', 'heartbeat', 'deadLetter', 'request', 'completion', 'tuning', 'fileHistory'],
    BatchGetItem: ['task'],
    Query: [
      'fileHistory',
      'count',
      'completion',
      'belief',
      'dailyMetrics',
      'breaker',
      'deadLetter',
      'provider',
    ],
    indexes: ['byStatus', 'byWait'],
  },
  // What a person would do with `assay submit` and `assay retry`, and what became of delivered work.
  'api-webhook': {
    GetItem: ['task', 'heartbeat', 'meter', 'mergedWork', 'pullRequest'],
    PutItem: ['task', 'pullRequest'],
  },
  'forge-tell': { GetItem: ['task', 'heartbeat'] },
  // Which notices were sent, and nothing of tasks: all that it says is in the events.
  notify: { GetItem: ['notice'], PutItem: ['notice'] },
  traces: { GetItem: ['task', 'heartbeat'], Query: ['meter'] },
  conductor: {
    GetItem: [
      'task',
      'heartbeat',
      'lock',
      'count',
      'countedState',
      'meter',
      'belief',
      'breaker',
      'request',
      'provider',
      'pullRequest',
    ],
    BatchGetItem: ['task'],
    PutItem: [
      'task',
      'lock',
      'count',
      'countedState',
      'completion',
      'belief',
      'breaker',
      'request',
      'provider',
      'mergedWork',
      'pullRequest',
    ],
    UpdateItem: ['spend'],
    DeleteItem: ['lock'],
    indexes: ['byWait'],
  },
  ledger: {
    GetItem: ['dailyMetrics', 'countedState', 'fileHistory'],
    PutItem: ['dailyMetrics', 'countedState', 'fileHistory'],
  },
  // Who does a step says when it can be done: the deadline is of the task's item.
  resolver: { GetItem: ['task', 'heartbeat', 'meter'], PutItem: ['task'], UpdateItem: ['task'] },
  cascade: {
    GetItem: ['task', 'heartbeat', 'lock', 'meter', 'spend', 'tuning', 'provider'],
    BatchGetItem: ['task'],
    UpdateItem: ['spend'],
    PutItem: ['task', 'lock', 'provider'],
    DeleteItem: ['lock'],
    Query: ['lock', 'belief', 'spend', 'provider'],
    indexes: ['byWait'],
  },
  // The one writer of passing verdicts; without one, and without an approval, nothing is pushed.
  janitor: {
    GetItem: ['task', 'heartbeat', 'meter', 'tuning', 'challengedTree'],
    PutItem: ['task', 'passedTree', 'challengedTree'],
  },
  // What asking may cost is set aside before, and that is all that it writes.
  judge: {
    GetItem: ['task', 'heartbeat', 'meter', 'breaker', 'spend'],
    UpdateItem: ['spend'],
    Query: ['spend'],
  },
  dispatcher: {
    GetItem: ['task', 'heartbeat', 'meter', 'container', 'tuning', 'launch'],
    PutItem: ['task', 'launch'],
    UpdateItem: ['container'],
  },
  reconciler: {
    GetItem: [
      'task',
      'heartbeat',
      'container',
      'lock',
      'count',
      'countedState',
      'meter',
      'belief',
      'request',
      'tuning',
    ],
    BatchGetItem: ['task'],
    PutItem: ['task', 'lock', 'count', 'countedState', 'completion', 'belief', 'request', 'tuning'],
    UpdateItem: ['task', 'container', 'heartbeat', 'spend'],
    DeleteItem: ['lock', 'heartbeat'],
    Query: ['container', 'belief', 'count', 'dailyMetrics'],
    indexes: ['byDeadline', 'byWait'],
  },
  compactor: {},
  deliver: { GetItem: ['passedTree', 'approvedTree'] },
  minter: { GetItem: ['task', 'heartbeat'] },
  'push-minter': { GetItem: ['task', 'heartbeat'] },
  page: {},
  'dead-letters': {
    GetItem: ['task', 'heartbeat', 'deadLetter'],
    PutItem: ['deadLetter'],
    indexes: ['byDeadline'],
  },
  // What an opinion may cost is set aside before a gate asks for it.
  models: {
    GetItem: ['task', 'heartbeat', 'meter', 'spend'],
    UpdateItem: ['meter', 'spend'],
    Query: ['spend'],
  },
} as const satisfies Readonly<Record<ServiceFunctionName, FunctionTableAccess>>;
