import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import middy from '@middy/core';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { ENV, METRICS } from '../../shared/names.ts';
import { requireEnv } from '../../shared/store/env.ts';
import { Machines, sfnClient } from '../../shared/store/machines.ts';
import type { Task } from '../../shared/task/task.ts';
import { type FollowContext, follow, followRemoval } from '../../shared/use-cases/follow.ts';
import { stores } from '../kit/dynamodb.ts';
import { logger } from '../kit/logger.ts';
import { images } from '../kit/stream.ts';

const { tasks, locks, counts } = stores();
const metrics = new Metrics({ namespace: METRICS.namespace, serviceName: METRICS.service });
const processor = new BatchProcessor(EventType.DynamoDBStreams, { logger });

/** Both counts are always sent, so that the ratio has a numerator also when it is zero. */
function onCompletion(task: Task): void {
  metrics.addMetric(METRICS.completions, MetricUnit.Count, 1);
  metrics.addMetric(METRICS.unverifiedCompletions, MetricUnit.Count, task.verified === true ? 0 : 1);
}

const context: FollowContext = {
  tasks,
  locks,
  counts,
  machines: new Machines(sfnClient()),
  cascadeMachine: requireEnv(ENV.cascadeMachine),
  now: () => new Date(),
  onCompletion,
};

async function handle(record: DynamoDBRecord): Promise<void> {
  const { before, after } = images(record);
  if (after) await follow(before, after, context);
  else if (before) await followRemoval(before, context);
}

export const handler = middy<DynamoDBStreamEvent, DynamoDBBatchResponse>().handler(
  async (event, lambdaContext) => {
    try {
      return await processPartialResponse(event, handle, processor, {
        context: lambdaContext,
        throwOnFullBatchFailure: false,
      });
    } finally {
      if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    }
  },
);
