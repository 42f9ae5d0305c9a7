import { isOperatorRole, type OperatorRole } from '../contract/access/rights.ts';
import {
  buildOperatorTokenItemKey,
  mintOperatorToken,
  operatorTokenItem,
} from '../contract/access/tokens.ts';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import { sha256 } from '../lib/sha256.ts';
import { type ItemTable, itemKey, type TableItem } from './item-table.ts';

/** Whose a token is, and what it is good for. */
export interface OperatorIdentity {
  readonly name: string;
  readonly role: OperatorRole;
  /** URLs of repositories, or of what they are under; empty: all. */
  readonly repositories: readonly string[];
  /** Null: it never ends. */
  readonly expiresAt: Date | null;
}

/** Of a token that is stored; the token itself is not. */
export interface StoredOperatorToken extends OperatorIdentity {
  /** The first characters of its hash, which it is revoked by. */
  readonly id: string;
  readonly createdAt: string;
}

const ID_CHARACTERS = 12;

/** Reads the operator of a token from its item; null for an item that is none. */
function operatorFromItem(item: TableItem): OperatorIdentity | null {
  const { name, role, repositories, expires_at } = item;
  if (typeof name !== 'string' || typeof role !== 'string' || !isOperatorRole(role)) return null;
  return {
    name,
    role,
    repositories: Array.isArray(repositories) ? repositories.map(String) : [],
    expiresAt: typeof expires_at === 'number' ? new Date(expires_at * 1_000) : null,
  };
}

/** Makes an operator token. */
export async function createOperatorToken(
  table: ItemTable,
  operator: OperatorIdentity,
): Promise<{ token: string; id: string }> {
  const token = mintOperatorToken();
  const { name, role, repositories, expiresAt } = operator;
  await table.put({
    ...operatorTokenItem(token, name, role),
    ...(repositories.length > 0 && { repositories }),
    ...(expiresAt && { expires_at: Math.floor(expiresAt.getTime() / 1_000) }),
  });
  return { token, id: sha256(token).slice(0, ID_CHARACTERS) };
}

/** Whose token this is; null for one that is unknown, revoked, or over: DynamoDB removes an item only some time after its end. */
export async function findOperatorByToken(
  table: ItemTable,
  token: string,
  now: Date,
): Promise<OperatorIdentity | null> {
  const item = await table.get(buildOperatorTokenItemKey(token));
  const operator = item && operatorFromItem(item);
  return operator?.expiresAt && operator.expiresAt <= now ? null : operator;
}

/** All tokens that are stored, by name. Reads the whole table: for people, who ask seldom. */
export async function listOperatorTokens(
  table: ItemTable,
): Promise<readonly (StoredOperatorToken & { readonly key: TableItem })[]> {
  const found: (StoredOperatorToken & { key: TableItem })[] = [];
  const items = table.scan({
    FilterExpression: 'begins_with(#pk, :token)',
    ExpressionAttributeNames: { '#pk': TASKS_TABLE_KEY_ATTRIBUTES.pk },
    ExpressionAttributeValues: { ':token': TABLE_ITEM_KEY_PREFIXES.token },
  });
  for await (const item of items) {
    const operator = operatorFromItem(item);
    if (!operator) continue;
    const pk = String(item[TASKS_TABLE_KEY_ATTRIBUTES.pk]);
    found.push({
      ...operator,
      id: pk.slice(TABLE_ITEM_KEY_PREFIXES.token.length).slice(0, ID_CHARACTERS),
      createdAt: String(item['created_at']),
      key: itemKey(pk, String(item[TASKS_TABLE_KEY_ATTRIBUTES.sk])),
    });
  }
  return found.sort((a, b) => a.name.localeCompare(b.name) || a.createdAt.localeCompare(b.createdAt));
}

/** Removes the tokens of an id or a name: what they open is closed within `AUTHORIZER_CACHE_SECONDS`. Answers those that were removed. */
export async function revokeOperatorTokens(
  table: ItemTable,
  idOrName: string,
): Promise<readonly StoredOperatorToken[]> {
  const all = await listOperatorTokens(table);
  const meant = all.filter(({ id, name }) => id === idOrName || name === idOrName);
  for (const { key } of meant) await table.delete(key);
  return meant;
}
