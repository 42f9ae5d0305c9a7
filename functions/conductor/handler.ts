import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { SFNClient } from '@aws-sdk/client-sfn';
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { Adapter } from '../../shared/contract/agents/adapter.ts';
import { ENV, ITEM_PREFIX, TABLE } from '../../shared/contract/names.ts';
import { requireEnv } from '../../shared/store/env.ts';
import { Machines } from '../../shared/store/machines.ts';
import { type FollowContext, follow, followRemoval } from '../../shared/use-cases/cascade/follow.ts';
import { followRequest } from '../../shared/use-cases/submit/requests.ts';
import { completionMetrics } from '../runtime/completions.ts';
import { stores } from '../runtime/dynamodb.ts';
import { logger } from '../runtime/logger.ts';
import { images, taskIdOf } from '../runtime/stream.ts';

const { tasks, locks, counts, beliefs, breakers, spend, requests, providers, landed } = stores();
const completions = completionMetrics();
// What it logs itself is about parsing only.
const processor = new BatchProcessor(EventType.DynamoDBStreams);

const context: FollowContext = {
  tasks,
  locks,
  counts,
  beliefs,
  breakers,
  spend,
  landed,
  providers: { store: providers, fallback: Adapter.parse(JSON.parse(requireEnv(ENV.defaultAdapter))) },
  machines: new Machines(new SFNClient({})),
  cascadeMachine: requireEnv(ENV.cascadeMachine),
  now: () => new Date(),
  onCompletion: completions.onCompletion,
};

/** The id of the request that a record is of; null: it is of a task. */
function requestOf({ dynamodb }: DynamoDBRecord): string | null {
  const keys = dynamodb?.Keys;
  if (keys?.[TABLE.sk]?.S !== TABLE.requestSk) return null;
  return (keys[TABLE.pk]?.S ?? '').slice(ITEM_PREFIX.request.length);
}

async function followRecord(record: DynamoDBRecord, request: string | null): Promise<void> {
  if (request !== null) return followRequest(request, { requests, tasks, now: context.now });
  const { before, after } = images(record);
  if (after) await follow(before, after, context);
  else if (before) await followRemoval(before, context);
}

async function handle(record: DynamoDBRecord): Promise<void> {
  const request = requestOf(record);
  try {
    await followRecord(record, request);
  } catch (error) {
    // The answer says only which record is to come again.
    const about = request === null ? { task_id: taskIdOf(record) } : { request_id: request };
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
