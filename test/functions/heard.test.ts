import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LAMBDA_ENTRY_POINTS, type ServiceFunctionName } from '../../infra/bundles.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { buildTaskItemKey, taskToItem } from '../../shared/store/task-item.ts';
import { taskInReview, verdict } from '../support/builders.ts';
import { COMPLETE_FUNCTION_ENV } from '../support/function-env-values.ts';
import { mockAwsClient } from '../support/mock-aws-client.ts';

const db = mockAwsClient(DynamoDBDocumentClient);
const s3 = mockAwsClient(S3Client);
const OF_TASK = { task_id: 'T1', run: 3 };
const ENDED = { 'detail-type': 'Task Done', detail: { task_id: 'T1' } };
const BOX = 'T1/1/deliver/1';
const image = (of: Task) => marshall(taskToItem(of), { removeUndefinedValues: true });
const WRITE = {
  Records: [
    {
      eventID: 'e',
      dynamodb: {
        SequenceNumber: '1',
        Keys: marshall(buildTaskItemKey('T1')),
        OldImage: image(taskInReview()),
        NewImage: image({ ...taskInReview({ verdict: verdict() }), status: 'done', version: 9 }),
      },
    },
  ],
};

/** What each function is called with, and what its log must say that it was about. */
const CALLED: Partial<Record<ServiceFunctionName, readonly [event: unknown, about: object]>> = {
  'api-authorizer': [{ headers: { authorization: `Bearer assay_op_${'a'.repeat(43)}` } }, {}],
  'forge-tell': [ENDED, { task_id: 'T1' }],
  ledger: [WRITE, { task_ids: ['T1'] }],
  resolver: [
    { ...OF_TASK, step: 'resolve_base' },
    { ...OF_TASK, step: 'resolve_base' },
  ],
  cascade: [
    { ...OF_TASK, step: 'decide' },
    { ...OF_TASK, step: 'decide' },
  ],
  janitor: [
    { ...OF_TASK, step: 'reduce', attempt: 2, execution_id: 'one', is_retry: false },
    { ...OF_TASK, step: 'reduce', attempt: 2 },
  ],
  judge: [
    { ...OF_TASK, attempt: 2 },
    { ...OF_TASK, attempt: 2 },
  ],
  deliver: [{ launch_name: BOX }, { launch_name: BOX }],
  reconciler: [{ kind: 'schedule' }, {}],
  minter: [{ task_id: 'T1', repository: 'https://private.test/a.git', access: 'read' }, { task_id: 'T1' }],
  'push-minter': [
    { task_id: 'T1', repository: 'https://private.test/a.git', access: 'write', token: 'deliver.T1.1.x' },
    { task_id: 'T1' },
  ],
  traces: [ENDED, { task_id: 'T1' }],
  'dead-letters': [{ kind: 'schedule' }, {}],
};

/** What says it in another way: each answer of the API, each record, message, day or call by itself, or it asks nobody anything. */
const OTHERWISE: Partial<Record<ServiceFunctionName, string>> = {
  'api-submit': 'functions/api/api-handler.ts',
  'api-work': 'functions/api/api-handler.ts',
  'api-upload': 'functions/api/api-handler.ts',
  'api-evidence': 'functions/api/api-handler.ts',
  'api-read': 'functions/api/api-handler.ts',
  'api-webhook': 'functions/api/api-handler.ts',
  conductor: 'test/functions/denied.test.ts',
  dispatcher: 'test/functions/denied.test.ts',
  compactor: 'test/functions/denied.test.ts',
  models: 'test/functions/models/handler.test.ts',
  page: 'functions/page/handler.ts',
  notify: 'test/functions/notify.test.ts',
};

type Handler = (event: unknown, context: unknown) => Promise<unknown>;
const context = { getRemainingTimeInMillis: () => 60_000 };
let said: object[] = [];
beforeEach(async () => {
  Object.assign(process.env, COMPLETE_FUNCTION_ENV, {
    [FUNCTION_ENV_NAMES.otlpEndpoint]: 'https://collector.test/',
    [FUNCTION_ENV_NAMES.forges]: '[{"url":"https://github.com/acme","forge":"github"}]',
    [FUNCTION_ENV_NAMES.recordEvents]: '[]',
  });
  const { logger } = await import('../../functions/runtime/logger.ts');
  said = [];
  vi.spyOn(logger, 'error').mockImplementation((...words) => void said.push(words[1] as object));
  const denied = Object.assign(new Error('not allowed'), { name: 'AccessDeniedException' });
  db.onAnyCommand().rejects(denied);
  s3.onAnyCommand().rejects(denied);
});
afterEach(() => {
  vi.restoreAllMocks();
  db.reset();
  s3.reset();
});

describe('an error that ends a function', () => {
  it('is looked for in every function', () => {
    const looked = [...Object.keys(CALLED), ...Object.keys(OTHERWISE)];
    expect(new Set(looked)).toEqual(new Set(Object.keys(LAMBDA_ENTRY_POINTS)));
  });

  it.each(Object.entries(CALLED).map(([name, called]) => [name as ServiceFunctionName, ...called] as const))(
    'of %s is in its log at the level that is counted, with what it was about',
    async (name, event, about) => {
      const { handler } = (await import(`../../${LAMBDA_ENTRY_POINTS[name]}`)) as { handler: Handler };
      await expect(handler(event, context)).rejects.toThrow();
      expect(said).toContainEqual(expect.objectContaining({ ...about, error: expect.any(Error) }));
    },
  );
});
