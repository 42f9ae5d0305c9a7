/** `writers.ts FOLDER SEGMENT_BYTES [reader]`: writes as fast as it can until it is killed, and prints each acknowledged write. */
import { writeSync } from 'node:fs';
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { createOperationCounters } from '../../../local/counters.ts';
import { startDynamo } from '../../../local/dynamodb/index.ts';
import { CREDENTIALS, clientConfig, TABLE } from '../support/resources.ts';

const KEYS = 5;
const fail = (error: unknown): never => {
  throw error;
};
const dynamo = await startDynamo({
  credentials: CREDENTIALS,
  dataDir: process.argv[2] ?? '',
  resources: [TABLE],
  counters: createOperationCounters(),
  log: { segmentBytes: Number(process.argv[3]) },
  onFailure: fail,
  onError: fail,
});
// Without a reader nothing keeps the segments, so that snapshots are written all the time.
if (process.argv[4] === 'reader') dynamo.log.register(new Map([['test', 'TRIM_HORIZON']]));
const client = new DynamoDBClient(clientConfig(dynamo.endpoint));

const writer = async (name: number): Promise<never> => {
  for (let count = 0; ; count += 1) {
    const id = `k${count % KEYS}`;
    const { Attributes } = await client.send(
      new UpdateItemCommand({
        TableName: 'Things',
        Key: { pk: { S: id }, sk: { S: 'it' } },
        // The index key changes with every write, so a write torn in two would leave a stale entry behind.
        UpdateExpression: 'ADD n :one SET #o = :owner, #r = :rank',
        ExpressionAttributeNames: { '#o': 'owner', '#r': 'rank' },
        ExpressionAttributeValues: {
          ':one': { N: '1' },
          ':owner': { S: 'me' },
          ':rank': { S: `${name}.${count}#${id}` },
        },
        ReturnValues: 'UPDATED_NEW',
      }),
    );
    writeSync(1, `${id} ${Attributes?.['n']?.N}\n`);
  }
};
for (let name = 0; name < 8; name += 1) writer(name).catch(fail);
