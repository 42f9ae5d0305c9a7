import { isRecord } from '../resource-properties.ts';
import type { InvokeResult } from '../shared-types.ts';

/**
 * Returns the ids of the items of a batch that a function has not handled. As in Lambda, an error, or an
 * answer with an id that is not in the batch, means all of them.
 */
export function failedItemIds(
  result: InvokeResult,
  identifiers: readonly string[],
  reportsItems: boolean,
): ReadonlySet<string> {
  const all = new Set(identifiers);
  if (result.error !== undefined) return all;
  if (!reportsItems || result.payload === null) return new Set();
  const reported = isRecord(result.payload) ? result.payload['batchItemFailures'] : undefined;
  if (reported === undefined || reported === null) return new Set();
  if (!Array.isArray(reported)) return all;
  const named = reported.map((item) => (isRecord(item) ? item['itemIdentifier'] : undefined));
  const known = named.filter((name) => typeof name === 'string').filter((name) => all.has(name));
  return known.length === named.length ? new Set(known) : all;
}
