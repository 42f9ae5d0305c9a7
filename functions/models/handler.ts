import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { APIGatewayProxyEvent, Context, LambdaFunctionURLEvent } from 'aws-lambda';
import {
  listChallengerModelRoutes,
  listGatesModelRoutes,
} from '../../shared/contract/models/gates-models.ts';
import { JudgeModels } from '../../shared/contract/models/judge-models.ts';
import { ModelProviders } from '../../shared/contract/models/model-providers.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { readOptionalEnv, readRequiredEnv } from '../../shared/store/env.ts';
import { ModelCallStore } from '../../shared/store/model-calls.ts';
import { ModelSpendStore } from '../../shared/store/model-spend.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { UsageMeterStore } from '../../shared/store/usage-meters.ts';
import { createBudgetStopCounter } from '../runtime/budget-stops.ts';
import { readCascadePolicy, readConfiguredPrices, readTierModels } from '../runtime/config.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { logger } from '../runtime/logger.ts';
import { openTable } from '../runtime/open-table.ts';
import type { ModelGatewayContext } from './gateway-context.ts';
import { parseModelRequest } from './model-request.ts';
import { type StreamedModelResponse, serveModelCall } from './serve-call.ts';

const items = openTable();
const tasks = new TaskStore(items);
const spend = new ModelSpendStore(items);
const judges = JudgeModels.parse(JSON.parse(readOptionalEnv(FUNCTION_ENV_NAMES.judgeModels, '{}')));
const shared: Omit<ModelGatewayContext, 'deadlineMs'> = {
  tasks,
  meters: new UsageMeterStore(items),
  callStore:
    readOptionalEnv(FUNCTION_ENV_NAMES.keepModelCalls, 'false') === 'true' ? new ModelCallStore(items) : null,
  providers: ModelProviders.parse(JSON.parse(readRequiredEnv(FUNCTION_ENV_NAMES.modelProviders))),
  gatesModels: listGatesModelRoutes(judges),
  challengerModels: listChallengerModelRoutes(judges),
  budget: { policy: readCascadePolicy(), spend, onStop: createBudgetStopCounter() },
  tiers: readTierModels(),
  prices: readConfiguredPrices(),
  maxAttemptUsd: Number(readRequiredEnv(FUNCTION_ENV_NAMES.maxAttemptUsd)),
  now: () => new Date(),
  onCall: (call) => logger.info('model call', { ...call }),
  onProblem: (message, details) => logger.warn(message, details),
};
/** Milliseconds kept for settling when a call is given up. */
const SETTLING_MS = 15_000;

/** Hands calls of models on to their providers. A client that goes away does not stop a Lambda, so each call has a deadline. */
export const handler = middy(
  withErrorLogging(
    async (
      event: LambdaFunctionURLEvent | APIGatewayProxyEvent,
      context: Context,
    ): Promise<StreamedModelResponse> =>
      serveModelCall(parseModelRequest(event), {
        ...shared,
        deadlineMs: () => Math.max(1, context.getRemainingTimeInMillis() - SETTLING_MS),
      }),
  ),
  { executionMode: executionModeStreamifyResponse },
);
