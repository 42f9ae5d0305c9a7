import type { Stoppable } from '../shared-types.ts';
import type { ExpiryIndex } from './expiry-index.ts';
import type { ItemWriter } from './item-writer.ts';
import type { TableSpec } from './tables.ts';

/** How often expired items are removed, in milliseconds. DynamoDB promises a few days. */
const INTERVAL_MS = 60_000;

interface TimeToLiveOptions {
  /** By the name of the table. */
  readonly expiries: ReadonlyMap<string, ExpiryIndex>;
  readonly writer: ItemWriter;
  readonly tables: readonly TableSpec[];
  readonly onError: (message: string) => void;
  readonly now?: () => number;
}

export interface ExpiredItemRemover extends Stoppable {
  /** Removes the items that have expired. Returns how many items it looked at. */
  sweep(): Promise<number>;
}

/**
 * Removes expired items, as DynamoDB does: the stream record names the service as the one that deleted the
 * item.
 */
export function startExpiredItemRemover(options: TimeToLiveOptions): ExpiredItemRemover {
  const { expiries, writer, tables, onError, now = Date.now } = options;

  async function sweepTable(table: TableSpec, attribute: string): Promise<number> {
    const seconds = Math.floor(now() / 1000);
    const keys = expiries.get(table.name)?.expired(seconds) ?? [];
    for (const key of keys) {
      const request = {
        TableName: table.name,
        Key: key,
        // A write may have given the item another time in the meantime.
        ConditionExpression: '#expires < :now',
        ExpressionAttributeNames: { '#expires': attribute },
        ExpressionAttributeValues: { ':now': { N: String(seconds) } },
      };
      await writer.write(table, 'DeleteItem', request, true);
    }
    return keys.length;
  }

  const sweep = async (): Promise<number> => {
    let count = 0;
    for (const table of tables) {
      if (table.ttlAttribute !== null) count += await sweepTable(table, table.ttlAttribute);
    }
    return count;
  };
  const timer = setInterval(() => {
    sweep().catch((error: unknown) => onError(`time to live: ${String(error)}`));
  }, INTERVAL_MS).unref();
  return {
    sweep,
    async stop() {
      clearInterval(timer);
    },
  };
}
