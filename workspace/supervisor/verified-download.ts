import { createHash } from 'node:crypto';
import { requestWithRetries } from '../../shared/api/http-client.ts';
import { MAX_PATCH_BYTES } from '../../shared/contract/resource-names.ts';
import { CheckoutError } from '../git/checkout-error.ts';

export const sha256OfBytes = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** An object that an assignment points to, and what must lie there. */
interface ExpectedObject {
  readonly url: string;
  readonly sha256: string;
  /** Most bytes that it may have. */
  readonly most: number;
}

/**
 * Fetches an object that was promised by its content.
 * @param refuse makes the error from why it cannot be had: HTTP status, size, or other content.
 */
export async function downloadVerified(
  { url, sha256: digest, most }: ExpectedObject,
  refuse: (why: 'unreadable' | 'too_large' | 'differs', detail: string) => Error,
): Promise<Buffer> {
  const answer = await requestWithRetries(url, { method: 'GET' }, { timeoutMs: 120_000 });
  if (answer.status !== 200) throw refuse('unreadable', `cannot be read: HTTP ${answer.status}`);
  if (answer.body.length > most) throw refuse('too_large', `is over ${most} bytes`);
  if (sha256OfBytes(answer.body) !== digest)
    throw refuse('differs', 'is not the one that was handed in (SHA-256 differs)');
  return answer.body;
}

/**
 * Fetches the patch that an assignment points to.
 * @throws CheckoutError when it is not the very patch that was promised.
 */
export const downloadPatch = (assignment: {
  readonly patch_url: string;
  readonly patch_sha256: string;
}): Promise<Buffer> =>
  downloadVerified(
    { url: assignment.patch_url, sha256: assignment.patch_sha256, most: MAX_PATCH_BYTES },
    (why, detail) =>
      new CheckoutError(
        why === 'too_large' ? 'patch_too_large' : 'patch_does_not_apply',
        `the patch ${detail}`,
      ),
  );
