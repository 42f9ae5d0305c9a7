import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { Context, LambdaFunctionURLEvent } from 'aws-lambda';
import { boxModels } from '../../shared/contract/models/box.ts';
import { JudgeModels } from '../../shared/contract/models/models.ts';
import { Providers } from '../../shared/contract/models/providers.ts';
import { ENV } from '../../shared/contract/names.ts';
import { optionalEnv, requireEnv } from '../../shared/store/env.ts';
import { MeterStore } from '../../shared/store/meters.ts';
import { ModelCallStore } from '../../shared/store/model-calls.ts';
import { budgetStops } from '../runtime/budget-stops.ts';
import { cascadePolicy, tierModels } from '../runtime/config.ts';
import { stores } from '../runtime/dynamodb.ts';
import { heard } from '../runtime/heard.ts';
import { logger } from '../runtime/logger.ts';
import { type StreamedAnswer, serve } from './gateway.ts';
import type { Gateway } from './parts.ts';
import { readRequest } from './request.ts';

const { db, table, tasks, spend } = stores();
const shared: Omit<Gateway, 'deadlineMs'> = {
  tasks,
  meters: new MeterStore(db, table),
  calls: optionalEnv(ENV.keepModelCalls, 'false') === 'true' ? new ModelCallStore(db, table) : null,
  providers: Providers.parse(JSON.parse(requireEnv(ENV.modelProviders))),
  opinions: boxModels(JudgeModels.parse(JSON.parse(optionalEnv(ENV.judgeModels, '{}')))),
  money: { policy: cascadePolicy(), spend, onStop: budgetStops() },
  tiers: tierModels(),
  maxAttemptUsd: Number(requireEnv(ENV.maxAttemptUsd)),
  now: () => new Date(),
  onCall: (call) => logger.info('model call', { ...call }),
  onProblem: (message, details) => logger.warn(message, details),
};
/** Milliseconds kept for settling when a call is given up. */
const SETTLING_MS = 15_000;

/** Hands calls of models on to their providers. A client that goes away does not stop a Lambda, so each call has a deadline. */
export const handler = middy(
  heard(
    async (event: LambdaFunctionURLEvent, context: Context): Promise<StreamedAnswer> =>
      serve(readRequest(event), {
        ...shared,
        deadlineMs: () => Math.max(1, context.getRemainingTimeInMillis() - SETTLING_MS),
      }),
  ),
  { executionMode: executionModeStreamifyResponse },
);
