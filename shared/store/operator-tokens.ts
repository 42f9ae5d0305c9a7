import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { mintOperatorToken, operatorTokenItem, operatorTokenKey } from '../tokens.ts';

/** Makes an operator token for `name`. */
export async function createOperatorToken(
  db: DynamoDBDocumentClient,
  options: { table: string; name: string },
): Promise<{ token: string }> {
  const token = mintOperatorToken();
  await db.send(new PutCommand({ TableName: options.table, Item: operatorTokenItem(token, options.name) }));
  return { token };
}

/** Whose token this is, or null. */
export async function operatorOf(
  db: DynamoDBDocumentClient,
  table: string,
  token: string,
): Promise<string | null> {
  const { Item } = await db.send(new GetCommand({ TableName: table, Key: operatorTokenKey(token) }));
  return typeof Item?.['name'] === 'string' ? Item['name'] : null;
}
