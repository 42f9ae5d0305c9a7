import { AsyncLocalStorage } from 'node:async_hooks';
import type { App, SqsQueue, SqsStore } from './fauxqs.ts';
import { sqsOperationName } from './operation-names.ts';

/** A message that waits or is in work, as far as it matters here. */
interface Grouped {
  messageGroupId?: string | undefined;
}

/**
 * Where the next message is that a fair queue hands out: the oldest of the group that has fewest messages in work. Messages without a
 * group are a group. With no group at all it is the oldest.
 */
export function fairestIndex(waiting: readonly Grouped[], inWork: Iterable<Grouped>): number {
  if (waiting.length < 2) return 0;
  const busy = new Map<string | undefined, number>();
  for (const { messageGroupId: group } of inWork) busy.set(group, (busy.get(group) ?? 0) + 1);
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [at, { messageGroupId: group }] of waiting.entries()) {
    const has = busy.get(group) ?? 0;
    if (has < least) [best, least] = [at, has];
    if (least === 0) break;
  }
  return best;
}

/** The group of the message that is just being sent. */
const sending = new AsyncLocalStorage<string>();

/** Remembers the group of each message while it is sent: fauxqs drops it where a queue is a standard one. Before it listens. */
export function trackMessageGroups(app: App): void {
  app.addHook('preHandler', (request, _reply, done) => {
    const { MessageGroupId: group } = (request.body ?? {}) as Record<string, unknown>;
    if (sqsOperationName(request.headers['x-amz-target']) === 'SendMessage' && typeof group === 'string')
      sending.run(group, done);
    else done();
  });
}

/**
 * Makes the standard queues fair, as those of SQS are, where fauxqs hands out the oldest. (SQS prefers groups with little in work when others
 * have much; here the one with least always is preferred.)
 */
export function enableFairQueues(store: SqsStore): void {
  for (const queue of store.allQueues()) makeFair(queue);
}

function makeFair(queue: SqsQueue): void {
  if (queue.isFifo()) return;
  const enqueue = queue.enqueue.bind(queue);
  const dequeue = queue.dequeue.bind(queue);
  queue.enqueue = (message) => {
    const group = sending.getStore();
    if (group !== undefined) message.messageGroupId ??= group;
    enqueue(message);
  };
  queue.dequeue = (most, ...rest) => {
    const taken: unknown[] = [];
    queue.processTimers();
    while (taken.length < most && queue.messages.length > 0) {
      const inWork = [...queue.inflightMessages.values()].map(({ message }) => message);
      const [next] = queue.messages.splice(fairestIndex(queue.messages, inWork), 1);
      if (next !== undefined) queue.messages.unshift(next);
      taken.push(...dequeue(1, ...rest));
    }
    return taken;
  };
}
