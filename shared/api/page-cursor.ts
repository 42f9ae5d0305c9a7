import { Refusal } from '../contract/refusal.ts';
import { canonicalHash } from '../lib/canonical-json.ts';

/** What a page is asked for by: a cursor, and what the listing is of. */
interface PageQuery {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Bytes of the longest sort key that DynamoDB takes. */
const MAX_KEY_BYTES = 1_024;

const markOf = (listing: string, { cursor: _cursor, limit: _limit, ...filters }: PageQuery): string =>
  canonicalHash([listing, filters]).slice(0, 16);

/** The key that a page begins behind; undefined: at the beginning. @throws Refusal when the cursor is not one that this listing gave out. */
export function parseCursor(listing: string, query: PageQuery): string | undefined {
  if (query.cursor === undefined) return undefined;
  const text = Buffer.from(query.cursor, 'base64url').toString('utf8');
  const [mark, key = ''] = text.split('\n', 2);
  if (mark !== markOf(listing, query) || key === '' || Buffer.byteLength(key) > MAX_KEY_BYTES)
    throw new Refusal('bad_cursor', 'the cursor belongs to another listing', [
      { pointer: '?cursor', message: 'belongs to another listing' },
    ]);
  return key;
}

/** The cursor of the page behind a key; null: there is none. It is good for the same listing with the same filters only. */
export const createCursor = (listing: string, query: PageQuery, key: string | null): string | null =>
  key === null ? null : Buffer.from(`${markOf(listing, query)}\n${key}`).toString('base64url');
