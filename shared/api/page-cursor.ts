import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { Refusal } from '../contract/refusal.ts';
import { FUNCTION_ENV_NAMES } from '../contract/resource-names.ts';
import { canonicalHash } from '../lib/canonical-json.ts';
import { readOptionalEnv } from '../store/env.ts';

/** What a page is asked for by: a cursor, and what the listing is of. */
interface PageQuery {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Bytes of the longest sort key that DynamoDB takes. */
const MAX_KEY_BYTES = 1_024;

const markOf = (listing: string, { cursor: _cursor, limit: _limit, ...filters }: PageQuery): string =>
  canonicalHash([listing, filters]).slice(0, 16);

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Key of cursors. A listing may end at a task of another repository, whose id and time are in the sort key, so cursors are encrypted. The
 * name of the table ends in random characters, and no answer of the API has it.
 */
const cipherKey = (): Buffer =>
  createHash('sha256')
    .update(`cursor\n${readOptionalEnv(FUNCTION_ENV_NAMES.table, '')}`)
    .digest();

/** Returns the sort key in a cursor; null: this listing of this deployment did not make it. */
function decrypt(cursor: string, mark: string): string | null {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length <= IV_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, cipherKey(), bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(mark));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([
      decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)),
      decipher.final(),
    ]).toString();
  } catch {
    return null;
  }
}

/** The key that a page begins behind; undefined: at the beginning. @throws Refusal when the cursor is not one that this listing gave out. */
export function parseCursor(listing: string, query: PageQuery): string | undefined {
  if (query.cursor === undefined) return undefined;
  const key = decrypt(query.cursor, markOf(listing, query));
  if (key === null || key === '' || Buffer.byteLength(key) > MAX_KEY_BYTES)
    throw new Refusal('bad_cursor', 'the cursor belongs to another listing', [
      { pointer: '?cursor', message: 'belongs to another listing' },
    ]);
  return key;
}

/** The cursor of the page behind a key; null: there is none. It is good for the same listing with the same filters only. */
export function createCursor(listing: string, query: PageQuery, key: string | null): string | null {
  if (key === null) return null;
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, cipherKey(), iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(markOf(listing, query)));
  return Buffer.concat([iv, cipher.update(key), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}
