import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Document client as every store wants it: empty things kept, undefined dropped. */
export const createDocumentClient = (
  client: DynamoDBClient = new DynamoDBClient({}),
): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
