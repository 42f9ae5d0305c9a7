import type { INDEXES, ItemKind } from '../shared/names.ts';
import type { FunctionName } from './build.ts';

/** Which kinds of items a function may use each DynamoDB action on, and which indexes it may query. */
export interface TableAccess {
  readonly GetItem?: readonly ItemKind[];
  readonly BatchGetItem?: readonly ItemKind[];
  readonly PutItem?: readonly ItemKind[];
  readonly UpdateItem?: readonly ItemKind[];
  readonly DeleteItem?: readonly ItemKind[];
  readonly Query?: readonly ItemKind[];
  readonly indexes?: readonly (keyof typeof INDEXES)[];
}

/**
 * The one table of who touches what in the table: the roles and their tests are made from it.
 * Who writes a task may read the meters of its attempts: what an attempt has used is written down with its end.
 * Nobody here writes operator tokens: a person does, with credentials of their own.
 */
export const TABLE_ACCESS = {
  'api-authorizer': { GetItem: ['task', 'token'] },
  'api-submit': { GetItem: ['task', 'meter'], BatchGetItem: ['task'], PutItem: ['task'] },
  'api-work': {
    GetItem: ['task', 'lock', 'claim', 'meter'],
    PutItem: ['task', 'lock', 'claim'],
    DeleteItem: ['lock'],
    Query: ['lock'],
    indexes: ['byQueue'],
  },
  'api-upload': { GetItem: ['task'], UpdateItem: ['uploads'] },
  'api-evidence': { GetItem: ['task', 'meter'], PutItem: ['task'] },
  'api-read': {
    GetItem: ['task'],
    BatchGetItem: ['task'],
    Query: ['count', 'completions'],
    indexes: ['byStatus'],
  },
  conductor: {
    GetItem: ['task', 'lock', 'count', 'counted', 'meter'],
    BatchGetItem: ['task'],
    PutItem: ['task', 'lock', 'count', 'counted'],
    DeleteItem: ['lock'],
    indexes: ['byWait'],
  },
  ledger: {},
  resolver: { GetItem: ['task', 'meter'], PutItem: ['task'] },
  cascade: {
    GetItem: ['task', 'lock', 'meter'],
    PutItem: ['task', 'lock'],
    DeleteItem: ['lock'],
    Query: ['lock'],
  },
  janitor: { GetItem: ['task', 'meter'], PutItem: ['task'] },
  judge: { GetItem: ['task', 'meter'] },
  dispatcher: { GetItem: ['task', 'meter', 'box'], PutItem: ['task'], UpdateItem: ['box'] },
  reconciler: {
    GetItem: ['task', 'box', 'lock', 'count', 'counted', 'meter', 'upgrade'],
    BatchGetItem: ['task'],
    PutItem: ['task', 'lock', 'count', 'counted', 'upgrade'],
    UpdateItem: ['task', 'box'],
    DeleteItem: ['lock'],
    Query: ['box'],
    indexes: ['byDeadline', 'byStatus', 'byWait'],
  },
  minter: { GetItem: ['task'] },
  models: { GetItem: ['task', 'meter'], UpdateItem: ['meter'] },
} as const satisfies Readonly<Record<FunctionName, TableAccess>>;
