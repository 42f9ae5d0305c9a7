import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * Document client as every store wants it: empty things kept, undefined dropped. Instances count as maps, because a map with an entry
 * named `constructor` is taken for one: names in reports of containers must not make an item that cannot be written.
 */
export const createDocumentClient = (
  client: DynamoDBClient = new DynamoDBClient({}),
): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true, convertClassInstanceToMap: true },
  });
