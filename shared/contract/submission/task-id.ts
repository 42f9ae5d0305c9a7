import { createHash } from 'node:crypto';
import { monotonicFactory } from 'ulid';

const nextUlid = monotonicFactory();

/** A new task id: a ULID, so ids made later sort later. */
export const newTaskId = (now: Date): string => nextUlid(now.getTime());

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * The id of the task that an idempotency key makes: the same key of the same principal always names the same task, so that a
 * repeated request finds the first one's item instead of a table of keys. `index` tells the tasks of a batch apart.
 */
export function deriveTaskId(principal: string, key: string, index = 0): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([principal, key, index]))
    .digest();
  return Array.from({ length: 26 }, (_, position) => CROCKFORD[(digest[position] ?? 0) % 32]).join('');
}
