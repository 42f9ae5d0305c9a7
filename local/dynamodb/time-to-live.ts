import type { Running } from '../ports.ts';
import type { Expiries } from './expiries.ts';
import type { TableSpec } from './tables.ts';
import type { Writer } from './writer.ts';

/** How often expired items are looked for, in milliseconds. DynamoDB promises a few days. */
const INTERVAL_MS = 60_000;
/** Entries that are read at a time. */
const PAGE = 100;

interface TimeToLiveOptions {
  readonly expiries: Expiries;
  readonly writer: Writer;
  readonly tables: readonly TableSpec[];
  readonly onError: (message: string) => void;
  readonly now?: () => number;
}

export interface TimeToLive extends Running {
  /** Removes what is over now. Answers how many items and entries were looked at for that. */
  sweep(): Promise<number>;
}

/** Removes items whose time is over, as the service does: the stream record says that it was the service. */
export function startTimeToLive(options: TimeToLiveOptions): TimeToLive {
  const { expiries, writer, tables, onError, now = Date.now } = options;

  async function sweepTable(table: TableSpec, attribute: string): Promise<number> {
    let looked = await expiries.fill(table);
    const seconds = Math.floor(now() / 1000);
    for (;;) {
      const due = await expiries.due(table, seconds, PAGE);
      looked += due.length;
      for (const expiry of due) {
        const request = {
          TableName: table.name,
          Key: expiry.key,
          // The item may be gone, or have another time by now, for which it has another entry.
          ConditionExpression: '#expires < :now',
          ExpressionAttributeNames: { '#expires': attribute },
          ExpressionAttributeValues: { ':now': { N: String(seconds) } },
        };
        await writer.write(table, 'DeleteItem', request, true);
        await expiries.forget(table, expiry);
      }
      if (due.length < PAGE) return looked;
    }
  }

  const sweep = async (): Promise<number> => {
    let looked = 0;
    for (const table of tables) {
      if (table.ttlAttribute !== null) looked += await sweepTable(table, table.ttlAttribute);
    }
    return looked;
  };
  const inBackground = () => {
    sweep().catch((error: unknown) => onError(`time to live: ${String(error)}`));
  };
  const timer = setInterval(inBackground, INTERVAL_MS).unref();
  return {
    sweep,
    async stop() {
      clearInterval(timer);
    },
  };
}
