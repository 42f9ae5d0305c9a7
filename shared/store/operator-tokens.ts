import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import { isOperatorRole, type OperatorRole } from '../contract/access/rights.ts';
import { mintOperatorToken, operatorTokenItem, operatorTokenKey } from '../contract/access/tokens.ts';
import { ITEM_KEY_PREFIXES, TABLE_KEYS } from '../contract/resource-names.ts';
import { sha256 } from '../lib/sha256.ts';

/** Whose a token is, and what it is good for. */
export interface Operator {
  readonly name: string;
  readonly role: OperatorRole;
  /** URLs of repositories, or of what they are under; empty: all. */
  readonly repositories: readonly string[];
  /** Null: it never ends. */
  readonly expiresAt: Date | null;
}

/** Of a token that is stored; the token itself is not. */
export interface StoredOperatorToken extends Operator {
  /** The first characters of its hash, which it is revoked by. */
  readonly id: string;
  readonly createdAt: string;
}

const ID_CHARACTERS = 12;

/** Items of versions before roles are an administrator's: their tokens could do everything. */
function operatorIn(item: Readonly<Record<string, unknown>>): Operator | null {
  const { name, role = 'admin', repositories, expires_at } = item;
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
  db: DynamoDBDocumentClient,
  { table, operator }: { readonly table: string; readonly operator: Operator },
): Promise<{ token: string; id: string }> {
  const token = mintOperatorToken();
  const { name, role, repositories, expiresAt } = operator;
  const Item = {
    ...operatorTokenItem(token, name, role),
    ...(repositories.length > 0 && { repositories }),
    ...(expiresAt && { expires_at: Math.floor(expiresAt.getTime() / 1_000) }),
  };
  await db.send(new PutCommand({ TableName: table, Item }));
  return { token, id: sha256(token).slice(0, ID_CHARACTERS) };
}

/** Whose token this is; null for one that is unknown, revoked, or over: DynamoDB removes an item only some time after its end. */
export async function findOperator(
  db: DynamoDBDocumentClient,
  table: string,
  token: string,
  now: Date,
): Promise<Operator | null> {
  const { Item } = await db.send(
    new GetCommand({ TableName: table, Key: operatorTokenKey(token), ConsistentRead: true }),
  );
  const operator = Item ? operatorIn(Item) : null;
  return operator?.expiresAt && operator.expiresAt <= now ? null : operator;
}

/** All tokens that are stored, by name. Reads the whole table: for people, who ask seldom. */
export async function listOperatorTokens(
  db: DynamoDBDocumentClient,
  table: string,
): Promise<readonly (StoredOperatorToken & { readonly key: Record<string, unknown> })[]> {
  const found: (StoredOperatorToken & { key: Record<string, unknown> })[] = [];
  let after: Record<string, unknown> | undefined;
  do {
    const page = await db.send(
      new ScanCommand({
        TableName: table,
        FilterExpression: 'begins_with(#pk, :token)',
        ExpressionAttributeNames: { '#pk': TABLE_KEYS.pk },
        ExpressionAttributeValues: { ':token': ITEM_KEY_PREFIXES.token },
        ...(after && { ExclusiveStartKey: after }),
      }),
    );
    for (const item of page.Items ?? []) {
      const operator = operatorIn(item);
      if (!operator) continue;
      const hash = String(item[TABLE_KEYS.pk]).slice(ITEM_KEY_PREFIXES.token.length);
      found.push({
        ...operator,
        id: hash.slice(0, ID_CHARACTERS),
        createdAt: String(item['created_at']),
        key: { [TABLE_KEYS.pk]: item[TABLE_KEYS.pk], [TABLE_KEYS.sk]: item[TABLE_KEYS.sk] },
      });
    }
    after = page.LastEvaluatedKey;
  } while (after);
  return found.sort((a, b) => a.name.localeCompare(b.name) || a.createdAt.localeCompare(b.createdAt));
}

/** Removes the tokens of an id or a name: what they open is closed within `AUTHORIZATION_SECONDS`. Answers those that were removed. */
export async function revokeOperatorTokens(
  db: DynamoDBDocumentClient,
  table: string,
  idOrName: string,
): Promise<readonly StoredOperatorToken[]> {
  const all = await listOperatorTokens(db, table);
  const meant = all.filter(({ id, name }) => id === idOrName || name === idOrName);
  for (const { key } of meant) await db.send(new DeleteCommand({ TableName: table, Key: key }));
  return meant;
}
