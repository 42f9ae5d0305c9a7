import * as z from 'zod';
import { ITEM_PREFIX, objectKey, TABLE } from '../../contract/names.ts';
import { sha256 } from '../../lib/sha256.ts';
import { STREAM_READERS, type StreamReader } from './schema.ts';

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

/** What Lambda writes into a bucket about a batch that it has given up: who could not do it, and the whole of it, as text. */
const GivenUp = z.object({
  requestContext: z.object({ functionArn: z.string() }),
  payload: z.string().transform((text): unknown => JSON.parse(text)),
});

/** The records of one task, or of one request of people, in a batch that was given up. */
export interface ItemRecords {
  readonly of: { readonly kind: 'task' | 'request'; readonly id: string };
  readonly key: string;
  /** JSON of the event, as the function has it. */
  readonly body: string;
  readonly first: bigint;
}

const sequence = ({ dynamodb }: StreamRecord): bigint => BigInt(dynamodb.SequenceNumber);

const KINDS = ['task', 'request'] as const;

function itemOf(key: string): ItemRecords['of'] {
  const kind = KINDS.find((each) => key.startsWith(ITEM_PREFIX[each]));
  if (!kind) throw new Error(`${key} is nothing that the stream is read for`);
  return { kind, id: key.slice(ITEM_PREFIX[kind].length) };
}

/** A batch that was given up. */
export interface GivenUpBatch {
  readonly reader: StreamReader;
  /** By what they are of, each in the order of its writes. */
  readonly items: readonly ItemRecords[];
}

/** The batch that an object tells of; null: nobody can read it. */
export function givenUpBatch(
  text: string,
  readers: Readonly<Record<StreamReader, string>>,
): GivenUpBatch | null {
  try {
    const { requestContext, payload } = GivenUp.parse(JSON.parse(text));
    // arn:aws:lambda:REGION:ACCOUNT:function:NAME[:VERSION]
    const name = requestContext.functionArn.split(':')[6];
    const reader = STREAM_READERS.find((each) => readers[each] === name);
    if (!reader) throw new Error(`${name} reads no stream here`);
    const { Records } = StreamEvent.parse(payload);
    const byItem = Map.groupBy(Records, ({ dynamodb }) => dynamodb.Keys[TABLE.pk]?.S ?? '');
    const items = [...byItem].map(([key, all]) => {
      const of = itemOf(key);
      const records = all.toSorted((a, b) => (sequence(a) < sequence(b) ? -1 : 1));
      const name = sha256(records.map(({ eventID }) => eventID).join('\n')).slice(0, 32);
      const body = JSON.stringify({ Records: records });
      return { of, key: objectKey.givenUp(of.id, name), body, first: records.map(sequence)[0] ?? 0n };
    });
    return { reader, items };
  } catch {
    return null;
  }
}
