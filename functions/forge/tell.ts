import type { EventBridgeEvent } from 'aws-lambda';
import * as z from 'zod';
import { tellForge } from '../../shared/use-cases/deliver/forge-tell.ts';
import { forgeSettings } from '../runtime/config.ts';
import { stores } from '../runtime/dynamodb.ts';
import { forgeSecret } from '../runtime/forge-secret.ts';
import { heard } from '../runtime/heard.ts';
import { logger } from '../runtime/logger.ts';
import { objects } from '../runtime/objects.ts';
import { connect } from './connect.ts';

const Told = z.object({ task_id: z.string() });
const { tasks } = stores();
const context = { tasks, objects: objects(), settings: forgeSettings(), secret: forgeSecret, connect };

/** Has the forge of a task say how it stands. An error that is thrown is tried again, and ends as a dead letter. */
export const handler = heard(async ({ detail }: EventBridgeEvent<string, unknown>): Promise<void> => {
  const { task_id } = Told.parse(detail);
  await tellForge(task_id, {
    ...context,
    onError: (reason) => logger.error('not told', { task_id, reason }),
  });
});
