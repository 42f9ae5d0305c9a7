import type { Judgement } from '../../shared/contract/judgement/judgement.ts';
import { JudgeInput } from '../../shared/contract/messages/queue.ts';
import { JudgeModels } from '../../shared/contract/models/models.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/names.ts';
import { ApprovalSettings } from '../../shared/control/approvals/rules.ts';
import { createAskModel } from '../../shared/reviews/model-clients/ask.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import { askJudges, type JudgingContext } from '../../shared/use-cases/review/ask-judges.ts';
import { createBudgetStopCounter } from '../runtime/budget-stops.ts';
import { readCascadePolicy } from '../runtime/config.ts';
import { createStores } from '../runtime/dynamodb.ts';
import { withFailureLog } from '../runtime/heard.ts';
import { readModelKey } from '../runtime/model-key.ts';
import { createObjectStore } from '../runtime/objects.ts';

const { tasks, breakers, spend } = createStores();
const context: JudgingContext = {
  tasks,
  readBreaker: (model) => breakers.read(model),
  objects: createObjectStore(),
  autonomy: ApprovalSettings.parse(JSON.parse(optionalEnv(FUNCTION_ENV_NAMES.approvalRules, '{}'))).autonomy,
  models: JudgeModels.parse(JSON.parse(optionalEnv(FUNCTION_ENV_NAMES.judgeModels, '{}'))),
  budget: { policy: readCascadePolicy(), spend, onStop: createBudgetStopCounter() },
  ask: createAskModel({ readKey: readModelKey }),
  now: () => new Date(),
};

/** Asks the models about an attempt; the one function of the janitor that calls anybody outside. */
export const handler = withFailureLog(async (event: unknown): Promise<Judgement[]> => {
  const { task_id, attempt, look, pipeline } = JudgeInput.parse(event);
  return askJudges(task_id, attempt, { look, pipeline }, context);
});
