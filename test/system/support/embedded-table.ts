import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { parseEngineCredentials } from '../../../local/engine-credentials.ts';
import { createDocumentClient } from '../../../shared/store/document-client.ts';

/** The table of a running stack as its functions have it: for what only time would change. Call `close` when done. */
export async function tableOf(dataDir: string) {
  const { dynamodb } = JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8')) as { dynamodb: number };
  const credentials = parseEngineCredentials(
    readFileSync(join(dataDir, 'engine-credentials'), 'utf8').trim(),
  );
  if (credentials === null) throw new Error(`${dataDir} has no credentials`);
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${dynamodb}`,
    region: 'us-east-1',
    credentials,
  });
  const { TableNames: [name = ''] = [] } = await client.send(new ListTablesCommand({}));
  return { db: createDocumentClient(client), name, close: () => client.destroy() };
}
