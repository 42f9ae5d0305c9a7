import * as z from 'zod';
import {
  s3ObjectKeys,
  TABLE_ITEM_KEY_PREFIXES,
  TASKS_TABLE_KEY_ATTRIBUTES,
} from '../../contract/resource-names.ts';
import { sha256 } from '../../lib/sha256.ts';
import { TASK_STREAM_CONSUMERS, type TaskStreamConsumer } from './dead-letter.ts';

/** A record of the table's stream, as far as it matters here; the rest of it is kept. */
const StreamRecord = z.looseObject({
  eventID: z.string(),
  dynamodb: z.looseObject({
    SequenceNumber: z.string().regex(/^\d{1,40}$/),
    Keys: z.record(z.string(), z.looseObject({ S: z.string().optional() })),
  }),
});
type StreamRecord = z.infer<typeof StreamRecord>;
export const DynamoDbStreamBatchEvent = z.object({ Records: z.array(StreamRecord).min(1) });

/** What Lambda writes into a bucket about a batch that it has given up: who could not do it, and the whole of it, as text. */
const FailedBatchObject = z.object({
  requestContext: z.object({ functionArn: z.string() }),
  payload: z.string().transform((text): unknown => JSON.parse(text)),
});

/** The records of one task, or of one request of people, in a batch that was given up. */
export interface StreamRecordsOfItem {
  readonly item: { readonly kind: 'task' | 'request'; readonly id: string };
  readonly key: string;
  /** JSON of the event, as the function has it. */
  readonly body: string;
  readonly first_sequence: bigint;
}

const sequence = ({ dynamodb }: StreamRecord): bigint => BigInt(dynamodb.SequenceNumber);

const KINDS = ['task', 'request'] as const;

function itemOf(key: string): StreamRecordsOfItem['item'] {
  const kind = KINDS.find((each) => key.startsWith(TABLE_ITEM_KEY_PREFIXES[each]));
  if (!kind) throw new Error(`${key} is nothing that the stream is read for`);
  return { kind, id: key.slice(TABLE_ITEM_KEY_PREFIXES[kind].length) };
}

/** A batch that was given up. */
export interface FailedBatch {
  readonly consumer: TaskStreamConsumer;
  /** By what they are of, each in the order of its writes. */
  readonly items: readonly StreamRecordsOfItem[];
}

/** The batch that an object tells of; null: nobody can read it. */
export function parseFailedBatch(
  text: string,
  readers: Readonly<Record<TaskStreamConsumer, string>>,
): FailedBatch | null {
  try {
    const { requestContext, payload } = FailedBatchObject.parse(JSON.parse(text));
    // arn:aws:lambda:REGION:ACCOUNT:function:NAME[:VERSION]
    const name = requestContext.functionArn.split(':')[6];
    const reader = TASK_STREAM_CONSUMERS.find((each) => readers[each] === name);
    if (!reader) throw new Error(`${name} reads no stream here`);
    const { Records } = DynamoDbStreamBatchEvent.parse(payload);
    const byItem = Map.groupBy(
      Records,
      ({ dynamodb }) => dynamodb.Keys[TASKS_TABLE_KEY_ATTRIBUTES.pk]?.S ?? '',
    );
    const items = [...byItem].map(([key, all]) => {
      const item = itemOf(key);
      const records = all.toSorted((a, b) => (sequence(a) < sequence(b) ? -1 : 1));
      const name = sha256(records.map(({ eventID }) => eventID).join('\n')).slice(0, 32);
      const body = JSON.stringify({ Records: records });
      return {
        item,
        key: s3ObjectKeys.failedBatch(item.id, name),
        body,
        first_sequence: records.map(sequence)[0] ?? 0n,
      };
    });
    return { consumer: reader, items };
  } catch {
    return null;
  }
}
