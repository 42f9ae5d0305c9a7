import type { EventBridgeEvent } from 'aws-lambda';
import * as z from 'zod';
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

/** Has the forge of a task say how it stands. An error that is thrown is tried again, and ends as a dead letter. */
export const handler = withErrorLogging(
  async ({ detail }: EventBridgeEvent<string, unknown>): Promise<void> => {
    const { task_id } = TaskEvent.parse(detail);
    await reportToForge(task_id, {
      ...context,
      onError: (reason) => logger.error('not told', { task_id, reason }),
    });
  },
);
