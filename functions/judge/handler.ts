import type { Judgement } from '../../shared/contract/judgement/judgement.ts';
import { ModelReviewInput } from '../../shared/contract/messages/step-messages.ts';
import { JudgeModels } from '../../shared/contract/models/judge-models.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { ApprovalSettings } from '../../shared/control/approvals/approval-settings.ts';
import { createAskModel } from '../../shared/reviews/model-clients/ask-model.ts';
import { CircuitBreakerStore } from '../../shared/store/circuit-breakers.ts';
import { readOptionalEnv } from '../../shared/store/env.ts';
import { ModelSpendStore } from '../../shared/store/model-spend.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { type JudgingContext, runAttemptReviewers } from '../../shared/use-cases/review/ask-judges.ts';
import { createBudgetStopCounter } from '../runtime/budget-stops.ts';
import { readCascadePolicy } from '../runtime/config.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { readModelKey } from '../runtime/model-key.ts';
import { createObjectStore } from '../runtime/object-store.ts';
import { openTable } from '../runtime/open-table.ts';

const items = openTable();
const tasks = new TaskStore(items);
const breakers = new CircuitBreakerStore(items);
const spend = new ModelSpendStore(items);
const context: JudgingContext = {
  tasks,
  readBreaker: (model) => breakers.read(model),
  objects: createObjectStore(),
  autonomy: ApprovalSettings.parse(JSON.parse(readOptionalEnv(FUNCTION_ENV_NAMES.approvalSettings, '{}')))
    .autonomy,
  models: JudgeModels.parse(JSON.parse(readOptionalEnv(FUNCTION_ENV_NAMES.judgeModels, '{}'))),
  isMetered: readOptionalEnv(FUNCTION_ENV_NAMES.modelGatewayMeters, 'false') === 'true',
  budget: { policy: readCascadePolicy(), spend, onStop: createBudgetStopCounter() },
  ask: createAskModel({ readKey: readModelKey }),
  now: () => new Date(),
};

/** Asks the models about an attempt; the one function of the janitor that calls anybody outside. */
export const handler = withErrorLogging(async (event: unknown): Promise<Judgement[]> => {
  const {
    task_id,
    attempt,
    requirements_review: look,
    review_pipeline: pipeline,
  } = ModelReviewInput.parse(event);
  return runAttemptReviewers(
    task_id,
    attempt,
    { requirements_review: look, review_pipeline: pipeline },
    context,
  );
});
