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
 * The one table of who touches what in the table: the roles, their tests and the embedded table, which refuses all else, are made from it.
 * Nobody here writes operator tokens: a person does, with credentials of their own.
 */
export const TABLE_ACCESS = {
  'api-authorizer': { GetItem: ['task', 'token'] },
  'api-submit': { GetItem: ['task'], BatchGetItem: ['task'], PutItem: ['task'] },
  'api-work': {
    GetItem: ['task', 'lock', 'claim'],
    PutItem: ['task', 'lock', 'claim'],
    DeleteItem: ['lock'],
    Query: ['lock'],
    indexes: ['byQueue'],
  },
  'api-upload': { GetItem: ['task'], UpdateItem: ['uploads'] },
  'api-evidence': { GetItem: ['task'], PutItem: ['task'] },
  'api-read': { GetItem: ['task'], Query: ['count', 'completions'], indexes: ['byStatus'] },
  conductor: {
    GetItem: ['task', 'lock', 'count', 'counted'],
    BatchGetItem: ['task'],
    PutItem: ['task', 'lock', 'count', 'counted'],
    DeleteItem: ['lock'],
    indexes: ['byWait'],
  },
  ledger: {},
  resolver: { GetItem: ['task'], PutItem: ['task'] },
  cascade: { GetItem: ['task', 'lock'], PutItem: ['task', 'lock'], DeleteItem: ['lock'], Query: ['lock'] },
  janitor: { GetItem: ['task'], PutItem: ['task'] },
  dispatcher: { GetItem: ['task'], PutItem: ['task'] },
  reconciler: {
    GetItem: ['task'],
    PutItem: ['task'],
    UpdateItem: ['task'],
    indexes: ['byDeadline'],
  },
} as const satisfies Readonly<Record<FunctionName, TableAccess>>;
