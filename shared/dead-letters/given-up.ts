import * as z from 'zod';
import { ITEM_PREFIX, objectKey, TABLE } from '../names.ts';
import { sha256 } from '../tokens.ts';

/** A record of the table's stream, as far as it matters here; the rest of it is kept. */
const StreamRecord = z.looseObject({
  eventID: z.string(),
  dynamodb: z.looseObject({
    SequenceNumber: z.string().regex(/^\d{1,40}$/),
    Keys: z.record(z.string(), z.looseObject({ S: z.string().optional() })),
  }),
});
type StreamRecord = z.infer<typeof StreamRecord>;
export const StreamEvent = z.object({ Records: z.array(StreamRecord).min(1) });

/** What Lambda writes into a bucket about a batch that it has given up: where it lay in the stream, and the whole of it, as text. */
const GivenUp = z.object({ payload: z.string().transform((text): unknown => JSON.parse(text)) });

/** The records of one task in a batch that was given up. */
export interface TaskRecords {
  readonly task: string;
  readonly key: string;
  /** JSON of the event, as the function has it. */
  readonly body: string;
  readonly first: bigint;
}

const sequence = ({ dynamodb }: StreamRecord): bigint => BigInt(dynamodb.SequenceNumber);

/** The batch that an object tells of, by task, each in the order of its writes; null: nobody can read it. */
export function recordsByTask(text: string): readonly TaskRecords[] | null {
  try {
    const { Records } = StreamEvent.parse(GivenUp.parse(JSON.parse(text)).payload);
    const byTask = Map.groupBy(Records, ({ dynamodb }) => {
      const key = dynamodb.Keys[TABLE.pk]?.S ?? '';
      if (!key.startsWith(ITEM_PREFIX.task)) throw new Error(`${key} is no task`);
      return key.slice(ITEM_PREFIX.task.length);
    });
    return [...byTask].map(([task, all]) => {
      const records = all.toSorted((a, b) => (sequence(a) < sequence(b) ? -1 : 1));
      const name = sha256(records.map(({ eventID }) => eventID).join('\n')).slice(0, 32);
      const body = JSON.stringify({ Records: records });
      return { task, key: objectKey.givenUp(task, name), body, first: records.map(sequence)[0] ?? 0n };
    });
  } catch {
    return null;
  }
}
