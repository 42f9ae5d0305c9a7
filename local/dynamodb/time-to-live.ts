import type { AwsJsonClient } from '../http/aws-json.ts';
import type { Running } from '../ports.ts';
import { isRecord } from '../properties.ts';
import { keyOf } from './image.ts';
import type { TableSpec } from './tables.ts';
import type { Writer } from './writer.ts';

/** How often expired items are looked for, in milliseconds. DynamoDB promises a few days. */
const INTERVAL_MS = 60_000;

interface TimeToLiveOptions {
  readonly engine: AwsJsonClient;
  readonly writer: Writer;
  readonly tables: readonly TableSpec[];
  readonly onError: (message: string) => void;
  readonly now?: () => number;
}

/** Removes items whose time is over, as the service does: the stream record says that it was the service. */
export function startTimeToLive(options: TimeToLiveOptions): Running & { sweep(): Promise<void> } {
  const { engine, writer, tables, onError, now = Date.now } = options;

  async function sweepTable(table: TableSpec, attribute: string): Promise<void> {
    const condition = {
      ExpressionAttributeNames: { '#expires': attribute },
      ExpressionAttributeValues: { ':now': { N: String(Math.floor(now() / 1000)) } },
    };
    let start: unknown;
    do {
      const page = await engine.expect('Scan', {
        TableName: table.name,
        FilterExpression: '#expires < :now',
        ...condition,
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
      });
      const items = page['Items'];
      for (const item of Array.isArray(items) ? items : []) {
        const request = {
          TableName: table.name,
          Key: keyOf(item, table.keyNames),
          ConditionExpression: '#expires < :now',
          ...condition,
        };
        await writer.write(table, 'DeleteItem', request, true);
      }
      start = isRecord(page['LastEvaluatedKey']) ? page['LastEvaluatedKey'] : undefined;
    } while (start !== undefined);
  }

  const sweep = async (): Promise<void> => {
    for (const table of tables) {
      if (table.ttlAttribute !== null) await sweepTable(table, table.ttlAttribute);
    }
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
