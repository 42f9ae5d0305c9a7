import {
  buildOperatorTokenItemKey,
  mintOperatorToken,
  operatorTokenItem,
} from '../shared/contract/access/tokens.ts';
import type { DataDirectory } from './data-directory.ts';
import { DYNAMODB_TARGET_PREFIX, type Dynamo } from './dynamodb/index.ts';
import { type AwsJsonClient, createAwsJsonClient } from './http/aws-json.ts';
import { isRecord } from './resource-properties.ts';

/** Name of the token's owner, which the API records with each action. */
const NAME = 'embedded';

const strings = (item: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(item).map(([name, text]) => [name, { S: text }]));

/**
 * Returns the operator token of a data directory, which is created once and stored in the table like any
 * other. A token that the table does not know (torn by a kill, or copied from another directory) is replaced,
 * with a notice.
 */
export async function ensureOperatorToken(
  directory: DataDirectory,
  dynamo: Dynamo,
  onNotice: (message: string) => void,
): Promise<string> {
  const [table] = dynamo.tables;
  if (table === undefined) throw new Error('the template has no table for the operator token');
  const client = createAwsJsonClient(dynamo.endpoint, DYNAMODB_TARGET_PREFIX, directory.credentials);
  try {
    const known = directory.token();
    if (known !== null && (await isKnown(client, table.name, known))) return known;
    const token = mintOperatorToken();
    const Item = strings(operatorTokenItem(token, NAME, 'admin'));
    await client.callOrThrow('PutItem', { TableName: table.name, Item });
    directory.storeToken(token);
    if (known !== null || !directory.isNew) {
      const why = known === null ? 'was missing' : 'was damaged, or is not of this folder';
      onNotice(`${directory.path}: the operator token ${why}; a new one was made, and works in its place`);
    }
    return token;
  } finally {
    client.close();
  }
}

async function isKnown(client: AwsJsonClient, TableName: string, token: string): Promise<boolean> {
  const request = { TableName, Key: strings(buildOperatorTokenItemKey(token)), ConsistentRead: true };
  return isRecord((await client.callOrThrow('GetItem', request))['Item']);
}
