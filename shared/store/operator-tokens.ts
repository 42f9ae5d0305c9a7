import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { TABLE } from '../names.ts';
import { mintOperatorToken, sha256 } from '../tokens.ts';

const tokenKey = (hash: string): Record<string, string> => ({
  [TABLE.pk]: `token#${hash}`,
  [TABLE.sk]: 'token',
});

/** Makes an operator token for `name`. Only its hash is stored: the token is shown once. */
export async function createOperatorToken(
  db: DynamoDBDocumentClient,
  options: { table: string; name: string },
): Promise<{ token: string }> {
  const token = mintOperatorToken();
  await storeOperatorToken(db, { ...options, token });
  return { token };
}

/** Stores the hash of a given token. */
export async function storeOperatorToken(
  db: DynamoDBDocumentClient,
  options: { table: string; name: string; token: string },
): Promise<void> {
  await db.send(
    new PutCommand({
      TableName: options.table,
      Item: { ...tokenKey(sha256(options.token)), name: options.name, created_at: new Date().toISOString() },
    }),
  );
}

/** Whose token this is, or null. */
export async function operatorOf(
  db: DynamoDBDocumentClient,
  table: string,
  token: string,
): Promise<string | null> {
  const { Item } = await db.send(new GetCommand({ TableName: table, Key: tokenKey(sha256(token)) }));
  return typeof Item?.['name'] === 'string' ? Item['name'] : null;
}
