import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { SFNClient } from '@aws-sdk/client-sfn';
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { AgentAdapterSettings } from '../../shared/contract/agents/adapter.ts';
import {
  FUNCTION_ENV_NAMES,
  TABLE_ITEM_KEY_PREFIXES,
  TASKS_TABLE_KEY_ATTRIBUTES,
} from '../../shared/contract/resource-names.ts';
import { CircuitBreakerStore } from '../../shared/store/circuit-breakers.ts';
import { readRequiredEnv } from '../../shared/store/env.ts';
import { FileLockStore } from '../../shared/store/file-locks.ts';
import { MergedWorkStore } from '../../shared/store/merged-work.ts';
import { ModelSpendStore } from '../../shared/store/model-spend.ts';
import { ProviderCooldownStore } from '../../shared/store/provider-cooldowns.ts';
import { PullRequestStore } from '../../shared/store/pull-requests.ts';
import { RoleLearningStore } from '../../shared/store/role-learning.ts';
import { StepFunctionsClient } from '../../shared/store/state-machines.ts';
import { TaskCountStore } from '../../shared/store/task-counts.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { WorkRequestStore } from '../../shared/store/work-requests.ts';
import {
  applyTaskRemovalEffects,
  applyTaskWriteEffects,
  type TaskProjectionContext,
} from '../../shared/use-cases/cascade/task-write-effects.ts';
import { applyWorkRequestEffects } from '../../shared/use-cases/submit/work-requests.ts';
import { createVerifiedCompletionMetrics } from '../runtime/completion-metrics.ts';
import { logger } from '../runtime/logger.ts';
import { openTable } from '../runtime/open-table.ts';
import { readStreamRecordTaskId, readTaskBeforeAndAfter } from '../runtime/stream-record.ts';

const items = openTable();
const tasks = new TaskStore(items);
const locks = new FileLockStore(items, tasks);
const counts = new TaskCountStore(items);
const beliefs = new RoleLearningStore(items);
const breakers = new CircuitBreakerStore(items);
const spend = new ModelSpendStore(items);
const requests = new WorkRequestStore(items);
const providers = new ProviderCooldownStore(items);
const landed = new MergedWorkStore(items);
const completions = createVerifiedCompletionMetrics();
// What it logs itself is about parsing only.
const processor = new BatchProcessor(EventType.DynamoDBStreams);

const context: TaskProjectionContext = {
  tasks,
  locks,
  counts,
  beliefs,
  breakers,
  spend,
  mergedWork: landed,
  pullRequests: new PullRequestStore(items),
  providers: {
    store: providers,
    fallback: AgentAdapterSettings.parse(JSON.parse(readRequiredEnv(FUNCTION_ENV_NAMES.defaultAdapter))),
  },
  stateMachines: new StepFunctionsClient(new SFNClient({})),
  cascadeMachineArn: readRequiredEnv(FUNCTION_ENV_NAMES.cascadeMachine),
  now: () => new Date(),
  onCompletion: completions.onCompletion,
};

/** The id of the request that a record is of; null: it is of a task. */
function requestOf({ dynamodb }: DynamoDBRecord): string | null {
  const keys = dynamodb?.Keys;
  if (keys?.[TASKS_TABLE_KEY_ATTRIBUTES.sk]?.S !== TASKS_TABLE_KEY_ATTRIBUTES.requestSk) return null;
  return (keys[TASKS_TABLE_KEY_ATTRIBUTES.pk]?.S ?? '').slice(TABLE_ITEM_KEY_PREFIXES.request.length);
}

async function followRecord(record: DynamoDBRecord, request: string | null): Promise<void> {
  if (request !== null)
    return applyWorkRequestEffects(request, { workRequests: requests, tasks, now: context.now });
  const { before, after } = readTaskBeforeAndAfter(record);
  if (after) await applyTaskWriteEffects(before, after, context);
  else if (before) await applyTaskRemovalEffects(before, context);
}

async function handle(record: DynamoDBRecord): Promise<void> {
  const request = requestOf(record);
  try {
    await followRecord(record, request);
  } catch (error) {
    // The answer says only which record is to come again.
    const about = request === null ? { task_id: readStreamRecordTaskId(record) } : { request_id: request };
    logger.error('a write was not followed', { ...about, error });
    throw error;
  }
}

export const handler = async (
  event: DynamoDBStreamEvent,
  lambdaContext: Context,
): Promise<DynamoDBBatchResponse> => {
  try {
    return await processPartialResponse(event, handle, processor, {
      context: lambdaContext,
      throwOnFullBatchFailure: false,
    });
  } finally {
    completions.publish();
  }
};
