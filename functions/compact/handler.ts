import { S3Client } from '@aws-sdk/client-s3';
import type { Context } from 'aws-lambda';
import { FUNCTION_ENV_NAMES, s3ObjectKeys } from '../../shared/contract/resource-names.ts';
import { listCompactableDays } from '../../shared/control/ledger/compaction.ts';
import { RECORD_TABLE_NAMES } from '../../shared/control/ledger/record-rows.ts';
import { readRequiredEnv } from '../../shared/store/env.ts';
import { RecordObjectStore } from '../../shared/store/record-object-store.ts';
import { compactRecordsOfDay } from '../../shared/use-cases/operate/compact-records.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { logger } from '../runtime/logger.ts';

const objects = new RecordObjectStore(
  new S3Client({}),
  process.env[FUNCTION_ENV_NAMES.lockedBucket] || readRequiredEnv(FUNCTION_ENV_NAMES.bucket),
);

/** What must be left of the invocation's time, in milliseconds, for another object of some 32 MiB. */
const RESERVE_MS = 60_000;

/** Makes few objects of the many of each table and day that is over. What it does not come to, the next round does. */
export const handler = withErrorLogging(
  async (
    _event: unknown,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<{ written: number; removed: number; failed: number }> => {
    const goOn = (): boolean => context.getRemainingTimeInMillis() > RESERVE_MS;
    const sum = { written: 0, removed: 0, failed: 0 };
    for (const day of listCompactableDays(new Date()))
      for (const table of RECORD_TABLE_NAMES) {
        if (!goOn()) return sum;
        const prefix = s3ObjectKeys.recordDay(table, day);
        try {
          const { written, removed } = await compactRecordsOfDay(prefix, { objects, hasTimeLeft: goOn });
          sum.written += written;
          sum.removed += removed;
        } catch (error) {
          // One day that cannot be read keeps no other from its turn; the ERROR line is heard.
          logger.error('records were not compacted', { prefix, error });
          sum.failed++;
        }
      }
    return sum;
  },
);
