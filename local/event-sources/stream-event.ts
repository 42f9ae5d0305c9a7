import { createHash } from 'node:crypto';
import { itemBytes } from '../dynamodb/capacity.ts';
import type { TableSpec } from '../dynamodb/tables.ts';
import type { ChangeRecord } from '../dynamodb/write-ahead-log/index.ts';
import type { UnknownRecord } from '../resource-properties.ts';
import { LOCAL_REGION } from '../template/identity.ts';

/** Formats a sequence number. DynamoDB's are long, and compare as text only if they have the same length. */
export const formatStreamSequenceNumber = (sequence: number): string =>
  `1${String(sequence).padStart(20, '0')}`;

const eventName = (record: ChangeRecord): string => {
  if (record.old === null) return 'INSERT';
  return record.new === null ? 'REMOVE' : 'MODIFY';
};

/** Converts a change into a record of a Lambda event, with the images of the table's view type. */
export function toStreamEventRecord(record: ChangeRecord, table: TableSpec): UnknownRecord {
  const viewType = table.stream?.viewType ?? 'NEW_AND_OLD_IMAGES';
  const withOld = viewType === 'OLD_IMAGE' || viewType === 'NEW_AND_OLD_IMAGES';
  const withNew = viewType === 'NEW_IMAGE' || viewType === 'NEW_AND_OLD_IMAGES';
  const images = {
    ...(withNew && record.new !== null ? { NewImage: record.new } : {}),
    ...(withOld && record.old !== null ? { OldImage: record.old } : {}),
  };
  const sizes = [record.key, ...Object.values(images)].map(itemBytes);
  return {
    eventID: createHash('md5').update(`${record.table} ${record.sequence}`).digest('hex'),
    eventName: eventName(record),
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: LOCAL_REGION,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(record.at / 1000),
      Keys: record.key,
      ...images,
      SequenceNumber: formatStreamSequenceNumber(record.sequence),
      SizeBytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
      StreamViewType: viewType,
    },
    eventSourceARN: table.stream?.arn,
    ...(record.byService ? { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } } : {}),
  };
}
