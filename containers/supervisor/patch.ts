import { createHash } from 'node:crypto';
import { CheckoutError } from '../../gates/checkout/error.ts';
import { request } from '../../shared/api/http.ts';
import { MAX_PATCH_BYTES } from '../../shared/names.ts';

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/**
 * Fetches the patch that an assignment points to.
 * @throws CheckoutError when it is not the very patch that was promised.
 */
export async function fetchPatch(assignment: {
  readonly patch_url: string;
  readonly patch_sha256: string;
}): Promise<Buffer> {
  const answer = await request(assignment.patch_url, { method: 'GET' }, { timeoutMs: 120_000 });
  if (answer.status !== 200)
    throw new CheckoutError('patch_does_not_apply', `the patch cannot be read: HTTP ${answer.status}`);
  if (answer.body.length > MAX_PATCH_BYTES)
    throw new CheckoutError('patch_too_large', `the patch is over ${MAX_PATCH_BYTES} bytes`);
  if (sha256(answer.body) !== assignment.patch_sha256)
    throw new CheckoutError(
      'patch_does_not_apply',
      'the patch is not the one that was handed in (SHA-256 differs)',
    );
  return answer.body;
}
