import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { Context, LambdaFunctionURLEvent } from 'aws-lambda';
import { gatesModels } from '../../shared/contract/models/box.ts';
import { JudgeModels } from '../../shared/contract/models/models.ts';
import { ModelProviders } from '../../shared/contract/models/providers.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/names.ts';
import { optionalEnv, requireEnv } from '../../shared/store/env.ts';
import { MeterStore } from '../../shared/store/meters.ts';
import { ModelCallStore } from '../../shared/store/model-calls.ts';
import { createBudgetStopCounter } from '../runtime/budget-stops.ts';
import { readCascadePolicy, readTierModels } from '../runtime/config.ts';
import { createStores } from '../runtime/dynamodb.ts';
import { withFailureLog } from '../runtime/heard.ts';
import { logger } from '../runtime/logger.ts';
import { type StreamedResponse, serveModelCall } from './gateway.ts';
import type { GatewayContext } from './parts.ts';
import { parseModelRequest } from './request.ts';

const { db, table, tasks, spend } = createStores();
const shared: Omit<GatewayContext, 'deadlineMs'> = {
  tasks,
  meters: new MeterStore(db, table),
  callStore: optionalEnv(FUNCTION_ENV_NAMES.keepModelCalls, 'false') === 'true' ? new ModelCallStore(db, table) : null,
  providers: ModelProviders.parse(JSON.parse(requireEnv(FUNCTION_ENV_NAMES.modelProviders))),
  gatesModels: gatesModels(JudgeModels.parse(JSON.parse(optionalEnv(FUNCTION_ENV_NAMES.judgeModels, '{}')))),
  budget: { policy: readCascadePolicy(), spend, onStop: createBudgetStopCounter() },
  tiers: readTierModels(),
  maxAttemptUsd: Number(requireEnv(FUNCTION_ENV_NAMES.maxAttemptUsd)),
  now: () => new Date(),
  onCall: (call) => logger.info('model call', { ...call }),
  onProblem: (message, details) => logger.warn(message, details),
};
/** Milliseconds kept for settling when a call is given up. */
const SETTLING_MS = 15_000;

/** Hands calls of models on to their providers. A client that goes away does not stop a Lambda, so each call has a deadline. */
export const handler = middy(
  withFailureLog(
    async (event: LambdaFunctionURLEvent, context: Context): Promise<StreamedResponse> =>
      serveModelCall(parseModelRequest(event), {
        ...shared,
        deadlineMs: () => Math.max(1, context.getRemainingTimeInMillis() - SETTLING_MS),
      }),
  ),
  { executionMode: executionModeStreamifyResponse },
);
