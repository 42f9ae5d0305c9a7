import '../support/function-env.ts';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, it, vi } from 'vitest';
import { handler } from '../../functions/judge/handler.ts';
import { logger } from '../../functions/runtime/logger.ts';
import { taskToItem } from '../../shared/store/task-item.ts';
import { taskInReview } from '../support/builders.ts';
import { mockAwsClient } from '../support/mock-aws-client.ts';

const db = mockAwsClient(DynamoDBDocumentClient);
const s3 = mockAwsClient(S3Client);
beforeEach(() => {
  db.reset();
  s3.reset();
});

it('says that no model is configured, for each signal that asks one, and reads nothing of the work', async () => {
  const task = taskInReview(
    {},
    { completion_signals: [{ type: 'llm_judge', criteria: 'it adds', on_error: 'hold' }] },
  );
  db.on(GetCommand).resolves({ Item: taskToItem(task) });
  expect(await handler({ task_id: 'T1', run: 1, attempt: 1 })).toMatchObject([
    {
      outcome: 'could_not_run',
      verdict: 'refer',
      reasons: [expect.stringContaining('assay:judges')],
      calls: 0,
    },
  ]);
  expect(s3.commandCalls(GetObjectCommand)).toEqual([]);
});

it('that is denied the table is heard of, since the machine goes on without it', async () => {
  const errors = vi.spyOn(logger, 'error').mockImplementation(() => {});
  db.on(GetCommand).rejects(new Error('AccessDenied'));
  await expect(handler({ task_id: 'T1', run: 1, attempt: 2 })).rejects.toThrow('AccessDenied');
  expect(errors).toHaveBeenCalledWith(
    'the function has failed',
    expect.objectContaining({ task_id: 'T1', attempt: 2 }),
  );
});
