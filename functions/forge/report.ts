import type { EventBridgeEvent, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { ForgeError } from '../../shared/control/forge/forge.ts';
import { nextReportRetry, ReportRetry, retryDelaySeconds } from '../../shared/control/forge/report-retry.ts';
import { readRequiredEnv } from '../../shared/store/env.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { reportToForge } from '../../shared/use-cases/deliver/report-to-forge.ts';
import { readForgeSettings } from '../runtime/config.ts';
import { readForgeSecret } from '../runtime/forge-secret.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { logger } from '../runtime/logger.ts';
import { createObjectStore } from '../runtime/object-store.ts';
import { openTable } from '../runtime/open-table.ts';
import { connectForge } from './connect-forge.ts';

const TaskEvent = z.object({ task_id: z.string() });
const items = openTable();
const tasks = new TaskStore(items);
const context = {
  tasks,
  objects: createObjectStore(),
  settings: readForgeSettings(),
  secret: readForgeSecret,
  connect: connectForge,
};

/** Sends a retry to the queue, which keeps it back until it is due. */
async function postpone(retry: ReportRetry, now: Date): Promise<void> {
  // Loaded when it is needed: forges are seldom down.
  const { SendMessageCommand, SQSClient } = await import('@aws-sdk/client-sqs');
  await new SQSClient({}).send(
    new SendMessageCommand({
      QueueUrl: readRequiredEnv(FUNCTION_ENV_NAMES.forgeRetryQueue),
      MessageBody: JSON.stringify(retry),
      DelaySeconds: retryDelaySeconds(retry, now),
    }),
  );
}

async function report(task_id: string, earlier: ReportRetry | null): Promise<void> {
  const now = new Date();
  if (earlier && Date.parse(earlier.due_at) > now.getTime()) return postpone(earlier, now);
  try {
    await reportToForge(task_id, {
      ...context,
      onError: (reason) => logger.error('not told', { task_id, reason }),
    });
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    const retry = nextReportRetry(task_id, error.retryAfterSeconds, earlier, now);
    if (retry === null) throw error;
    logger.warn('told later', { task_id, reason: error.message, due_at: retry.due_at });
    await postpone(retry, now);
  }
}

/**
 * Has the forge of a task say how it stands. What the forge may take later comes again by the queue; an error that is thrown ends as a
 * dead letter.
 */
export const handler = withErrorLogging(
  async (event: EventBridgeEvent<string, unknown> | SQSEvent): Promise<void> => {
    if (!('Records' in event)) return report(TaskEvent.parse(event.detail).task_id, null);
    for (const { body } of event.Records) {
      const retry = ReportRetry.parse(JSON.parse(body));
      await report(retry.task_id, retry);
    }
  },
);
