import type { ItemKind, TABLE_INDEXES } from '../shared/contract/resource-names.ts';
import type { FunctionName } from './bundles.ts';

/** Which kinds of items a function may use each DynamoDB action on, and which indexes it may query. */
export interface TableAccess {
  readonly GetItem?: readonly ItemKind[];
  readonly BatchGetItem?: readonly ItemKind[];
  readonly PutItem?: readonly ItemKind[];
  readonly UpdateItem?: readonly ItemKind[];
  readonly DeleteItem?: readonly ItemKind[];
  readonly Query?: readonly ItemKind[];
  readonly indexes?: readonly (keyof typeof TABLE_INDEXES)[];
}

/**
 * The one table of who touches what in the table: the roles and their tests are made from it.
 * Who reads a task reads the last sign of life of its agent, too.
 * Who writes a task may read the meters of its attempts: what an attempt has used is written down with its end.
 * Nobody here writes operator tokens: a person does, with credentials of their own.
 */
export const TABLE_ACCESS = {
  'api-authorizer': { GetItem: ['task', 'beat', 'token'] },
  'api-submit': {
    GetItem: ['task', 'beat', 'meter', 'belief', 'deadLetter', 'request', 'completion', 'evolution'],
    BatchGetItem: ['task'],
    PutItem: ['task', 'belief', 'deadLetter', 'request', 'completion', 'evolution'],
    Query: ['belief', 'count', 'figures'],
  },
  'api-work': {
    GetItem: ['task', 'beat', 'lock', 'claim', 'meter', 'landed'],
    PutItem: ['task', 'lock', 'claim'],
    UpdateItem: ['beat'],
    DeleteItem: ['lock'],
    Query: ['lock'],
    indexes: ['byQueue'],
  },
  'api-upload': { GetItem: ['task', 'beat'], UpdateItem: ['uploads'] },
  'api-evidence': { GetItem: ['task', 'beat', 'meter'], PutItem: ['task'] },
  'api-read': {
    GetItem: ['task', 'beat', 'deadLetter', 'request', 'completion', 'evolution', 'fileHistory'],
    BatchGetItem: ['task'],
    Query: ['fileHistory', 'count', 'completion', 'belief', 'figures', 'breaker', 'deadLetter', 'provider'],
    indexes: ['byStatus'],
  },
  // What a person would do with `assay submit` and `assay retry`, and what became of delivered work.
  'api-hook': { GetItem: ['task', 'beat', 'meter', 'landed'], PutItem: ['task'] },
  'forge-tell': { GetItem: ['task', 'beat'] },
  traces: { GetItem: ['task', 'beat'], Query: ['meter'] },
  conductor: {
    GetItem: [
      'task',
      'beat',
      'lock',
      'count',
      'countedState',
      'meter',
      'belief',
      'breaker',
      'request',
      'provider',
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
      'landed',
    ],
    UpdateItem: ['spend'],
    DeleteItem: ['lock'],
    indexes: ['byWait'],
  },
  ledger: {
    GetItem: ['figures', 'countedState', 'fileHistory'],
    PutItem: ['figures', 'countedState', 'fileHistory'],
  },
  // Who does a step says when it can be done: the deadline is of the task's item.
  resolver: { GetItem: ['task', 'beat', 'meter'], PutItem: ['task'], UpdateItem: ['task'] },
  cascade: {
    GetItem: ['task', 'beat', 'lock', 'meter', 'spend', 'evolution'],
    BatchGetItem: ['task'],
    UpdateItem: ['spend'],
    PutItem: ['task', 'lock'],
    DeleteItem: ['lock'],
    Query: ['lock', 'belief', 'spend', 'provider'],
    indexes: ['byWait'],
  },
  janitor: { GetItem: ['task', 'beat', 'meter', 'evolution'], PutItem: ['task'] },
  // What asking may cost is set aside before, and that is all that it writes.
  judge: { GetItem: ['task', 'beat', 'meter', 'breaker', 'spend'], UpdateItem: ['spend'], Query: ['spend'] },
  dispatcher: {
    GetItem: ['task', 'beat', 'meter', 'box', 'evolution'],
    PutItem: ['task'],
    UpdateItem: ['box'],
  },
  reconciler: {
    GetItem: [
      'task',
      'beat',
      'box',
      'lock',
      'count',
      'countedState',
      'meter',
      'belief',
      'request',
      'evolution',
    ],
    BatchGetItem: ['task'],
    PutItem: ['task', 'lock', 'count', 'countedState', 'completion', 'belief', 'request', 'evolution'],
    UpdateItem: ['task', 'box', 'beat', 'spend'],
    DeleteItem: ['lock', 'beat'],
    Query: ['box', 'belief', 'count', 'figures'],
    indexes: ['byDeadline', 'byWait'],
  },
  compactor: {},
  deliver: {},
  minter: { GetItem: ['task', 'beat'] },
  'push-minter': { GetItem: ['task', 'beat'] },
  page: {},
  'dead-letters': {
    GetItem: ['task', 'beat', 'deadLetter'],
    PutItem: ['deadLetter'],
    indexes: ['byDeadline'],
  },
  // What an opinion may cost is set aside before a gate asks for it.
  models: { GetItem: ['task', 'beat', 'meter', 'spend'], UpdateItem: ['meter', 'spend'], Query: ['spend'] },
} as const satisfies Readonly<Record<FunctionName, TableAccess>>;
