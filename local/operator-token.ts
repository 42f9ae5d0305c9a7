import { mintOperatorToken, operatorTokenItem } from '../shared/tokens.ts';
import type { DataDirectory } from './data-directory.ts';
import type { Dynamo } from './dynamodb/index.ts';
import { CREDENTIALS, REGION } from './template/identity.ts';

/** Who the token's owner is, in what the API writes down. */
const NAME = 'embedded';

/** The operator's token of a data directory: made once, and stored in the table like any other. */
export async function operatorToken(directory: DataDirectory, dynamo: Dynamo): Promise<string> {
  const known = directory.token();
  if (known !== null) return known;
  const [table] = dynamo.tables;
  if (table === undefined) throw new Error('the template has no table for the operator token');
  // Only the first start on a directory has to load the SDK for it.
  const [{ DynamoDBClient }, { DynamoDBDocumentClient, PutCommand }] = await Promise.all([
    import('@aws-sdk/client-dynamodb'),
    import('@aws-sdk/lib-dynamodb'),
  ]);
  const client = new DynamoDBClient({
    endpoint: dynamo.endpoint,
    region: REGION,
    credentials: CREDENTIALS,
  });
  const token = mintOperatorToken();
  const item = operatorTokenItem(token, NAME);
  await DynamoDBDocumentClient.from(client).send(new PutCommand({ TableName: table.name, Item: item }));
  client.destroy();
  directory.storeToken(token);
  return token;
}
