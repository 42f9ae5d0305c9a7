import * as z from 'zod';
import { LAUNCH_KINDS } from '../../contract/launch-kind.ts';
import { LetterStatus } from './letter-status.ts';

/** Who reads the stream, and may give up what it cannot do. */
export const TASK_STREAM_CONSUMERS = ['ledger', 'conductor'] as const;
export type TaskStreamConsumer = (typeof TASK_STREAM_CONSUMERS)[number];

/** Operations that can fail for good: a launch of a box, a notification, what a reader makes of records of the stream, records of which only the place is known, or what nobody can read. */
export const DEAD_LETTER_OPERATIONS = [
  ...LAUNCH_KINDS.map((kind) => `launch:${kind}` as const),
  ...TASK_STREAM_CONSUMERS.map((reader) => `stream:${reader}` as const),
  'notice:deliver',
  'stream:record',
  'message:unreadable',
] as const;
export const DEAD_LETTER_CATEGORIES = ['transient', 'permanent', 'validation'] as const;

const LetterHistoryEntry = z.object({
  event: z.string(),
  by: z.string(),
  reason: z.string(),
  at: z.iso.datetime(),
});

export const DeadLetter = z.object({
  id: z.string().describe('`<lane>.<what>`: the same operation has the same id, however often it fails.'),
  operation: z.enum(DEAD_LETTER_OPERATIONS),
  /** JSON of the message. */
  args: z.string(),
  /** Ids of the messages that it has come as, the latest last. */
  messages: z.array(z.string()),
  error: z.string(),
  category: z.enum(DEAD_LETTER_CATEGORIES),
  status: LetterStatus,
  attempts: z.int().positive().describe('The first failure.'),
  max_attempts: z.int().positive(),
  auto_retry: z.boolean().describe('False: only an operator retries it.'),
  created_at: z.iso.datetime(),
  last_attempt_at: z.iso.datetime(),
  next_retry_at: z.iso.datetime().nullable(),
  lease_until: z.iso.datetime().nullable(),
  resolved_at: z.iso.datetime().nullable().describe('When it was resolved or abandoned.'),
  /** The latest last; what the machine does is not in it, but for its end. */
  history: z.array(LetterHistoryEntry),
});
export type DeadLetter = z.infer<typeof DeadLetter>;

/** The dead letters of one task, or of one thing that is no task's, in the order in which they are tried again. */
export const RetryQueue = z.object({ letters: z.array(DeadLetter) });
export type RetryQueue = z.infer<typeof RetryQueue>;

/** Name of a lane, and of a letter in it. */
export const DeadLetterId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\.[a-z0-9-]{1,40}$/,
    'must be the id of a dead letter, as `assay dlq list` prints it',
  );
/** What is of a request of people, and of no task, ends its lane so. */
const OF_REQUEST = '_request';
/** Those of a reader do not hold up the launches of their task, nor those of another reader, nor these them. */
export const buildConsumerRetryQueueId = (
  reader: TaskStreamConsumer,
  { kind, id }: { readonly kind: 'task' | 'request'; readonly id: string },
): string => `${id}_${reader}${kind === 'request' ? OF_REQUEST : ''}`;

/** Separates the task from the delivery in the lane of a notification. Each delivery has a lane: none waits for another one. */
const OF_NOTICE = '_notice-';
/** @param delivery hash of target and event */
export const buildNoticeRetryQueueId = (task: string | null, delivery: string): string =>
  task === null ? `notice-${delivery}` : `${task}${OF_NOTICE}${delivery}`;

/** Which reader is to read it again; null: it is no record of the stream that is kept. */
export const findDeadLetterConsumer = ({
  operation,
}: Pick<DeadLetter, 'operation'>): TaskStreamConsumer | null =>
  TASK_STREAM_CONSUMERS.find((reader) => operation === `stream:${reader}`) ?? null;

/** Can it be done again? What else there is needs a person's hands. */
export const canRetryLetter = (letter: Pick<DeadLetter, 'operation'>): boolean =>
  letter.operation.startsWith('launch:') ||
  letter.operation === 'notice:deliver' ||
  findDeadLetterConsumer(letter) !== null;

/** The task that a letter is about; null: none that is known. */
export function letterTaskId({ id, operation }: Pick<DeadLetter, 'id' | 'operation'>): string | null {
  const lane = parseDeadLetterRetryQueueId(id);
  if (operation.startsWith('launch:')) return lane;
  if (operation === 'notice:deliver') {
    const end = lane.lastIndexOf(OF_NOTICE);
    return end === -1 ? null : lane.slice(0, end);
  }
  const reader = findDeadLetterConsumer({ operation });
  if (reader === null || lane.endsWith(OF_REQUEST)) return null;
  return lane.slice(0, -buildConsumerRetryQueueId(reader, { kind: 'task', id: '' }).length);
}
export const parseDeadLetterRetryQueueId = (letter: string): string => letter.slice(0, letter.indexOf('.'));
