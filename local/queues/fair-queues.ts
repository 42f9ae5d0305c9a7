import { AsyncLocalStorage } from 'node:async_hooks';
import type { FauxqsApp, SqsQueue, SqsStore } from './fauxqs.ts';
import { sqsOperationName } from './operation-names.ts';

/** A visible or in-flight message. */
interface Grouped {
  messageGroupId?: string | undefined;
}

/**
 * Returns the index of the message that a fair queue delivers next: the oldest of the group with the fewest
 * messages in flight. Messages without a group form a group.
 */
function findFairestMessageIndex(waiting: readonly Grouped[], inWork: Iterable<Grouped>): number {
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

/** The group of the message that is being sent. */
const sending = new AsyncLocalStorage<string>();

/**
 * Keeps the group of each message while it is sent, because fauxqs drops it for standard queues. To be called
 * before it listens.
 */
export function preserveMessageGroups(app: FauxqsApp): void {
  app.addHook('preHandler', (request, _reply, done) => {
    const { MessageGroupId: group } = (request.body ?? {}) as Record<string, unknown>;
    if (sqsOperationName(request.headers['x-amz-target']) === 'SendMessage' && typeof group === 'string')
      sending.run(group, done);
    else done();
  });
}

/**
 * Makes the standard queues fair, as those of SQS are; fauxqs delivers the oldest message. (SQS prefers quiet
 * groups when others have many messages in flight; here the group with the fewest is always preferred.)
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
      const [next] = queue.messages.splice(findFairestMessageIndex(queue.messages, inWork), 1);
      if (next !== undefined) queue.messages.unshift(next);
      taken.push(...dequeue(1, ...rest));
    }
    return taken;
  };
}
