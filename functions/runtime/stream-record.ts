import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../../shared/contract/resource-names.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { taskFromItem } from '../../shared/store/task-item.ts';

type Image = NonNullable<DynamoDBRecord['dynamodb']>['NewImage'];
const task = (image: Image): Task | null =>
  image ? taskFromItem(unmarshall(image as Record<string, AttributeValue>)) : null;

/** The id of the task that a record is of, also where nothing else of it can be read. */
export const readStreamRecordTaskId = ({ dynamodb }: DynamoDBRecord): string =>
  (dynamodb?.Keys?.[TASKS_TABLE_KEY_ATTRIBUTES.pk]?.S ?? '').slice(TABLE_ITEM_KEY_PREFIXES.task.length);

/** The two images of a task in a stream record; `after` is null when the item was removed. */
export const readTaskBeforeAndAfter = (
  record: DynamoDBRecord,
): { before: Task | null; after: Task | null } => ({
  before: task(record.dynamodb?.OldImage),
  after: task(record.dynamodb?.NewImage),
});
