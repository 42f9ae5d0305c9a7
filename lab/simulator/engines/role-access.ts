import type { ServiceFunctionName as Deployed } from '../../../infra/bundles.ts';
import { type FunctionTableAccess, TABLE_ACCESS_BY_FUNCTION } from '../../../infra/table-access.ts';
import {
  TABLE_INDEXES,
  TABLE_ITEM_KEY_PREFIXES,
  TASKS_TABLE_KEY_ATTRIBUTES,
} from '../../../shared/contract/resource-names.ts';
import type { LambdaFunctionName } from '../lambda-functions.ts';
import type { TableCommandInput } from './simulated-table.ts';

/** Under which name each function is deployed, where it has another one here. */
const DEPLOYED: Partial<Record<LambdaFunctionName, Deployed>> = {
  authorizer: 'api-authorizer',
  dispatch: 'dispatcher',
  reconcile: 'reconciler',
};

const ACTIONS = {
  GetCommand: 'GetItem',
  BatchGetCommand: 'BatchGetItem',
  PutCommand: 'PutItem',
  UpdateCommand: 'UpdateItem',
  DeleteCommand: 'DeleteItem',
  QueryCommand: 'Query',
} as const;
const isAction = (operation: string): operation is keyof typeof ACTIONS => operation in ACTIONS;

/** Partition keys that a call names, as IAM's `dynamodb:LeadingKeys` sees them. */
function leadingKeys(input: TableCommandInput): string[] {
  const items = Object.values(input.RequestItems ?? {}).flatMap(({ Keys = [] }) => Keys);
  for (const each of [input.Key, input.Item]) if (each) items.push(each);
  const asked = /(:\w+)/.exec(input.KeyConditionExpression ?? '')?.[1];
  return [
    ...items.map((item) => String(item[TASKS_TABLE_KEY_ATTRIBUTES.pk])),
    ...(asked === undefined ? [] : [String(input.ExpressionAttributeValues?.[asked])]),
  ];
}

/** What the role of a function does not let it do with the table; null: it may. */
export function accessDenialReason(
  name: LambdaFunctionName,
  operation: string,
  input: TableCommandInput,
): string | null {
  const access: FunctionTableAccess = TABLE_ACCESS_BY_FUNCTION[DEPLOYED[name] ?? (name as Deployed)];
  if (!isAction(operation)) return `${name} may not call ${operation}`;
  if (input.IndexName !== undefined) {
    const may = (access.indexes ?? []).some((index) => TABLE_INDEXES[index].name === input.IndexName);
    return may ? null : `${name} may not query the index ${input.IndexName}`;
  }
  const action = ACTIONS[operation];
  const kinds = access[action] ?? [];
  const key = leadingKeys(input).find(
    (each) => !kinds.some((kind) => each.startsWith(TABLE_ITEM_KEY_PREFIXES[kind])),
  );
  return kinds.length === 0 || key !== undefined ? `${name} may not ${action} ${key ?? 'anything'}` : null;
}
