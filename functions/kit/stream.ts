import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { fromItem } from '../../shared/store/task-item.ts';
import type { Task } from '../../shared/task/task.ts';

type Image = NonNullable<DynamoDBRecord['dynamodb']>['NewImage'];
const task = (image: Image): Task | null =>
  image ? fromItem(unmarshall(image as Record<string, AttributeValue>)) : null;

/** The two images of a task in a stream record; `after` is null when the item was removed. */
export const images = (record: DynamoDBRecord): { before: Task | null; after: Task | null } => ({
  before: task(record.dynamodb?.OldImage),
  after: task(record.dynamodb?.NewImage),
});
