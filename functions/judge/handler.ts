import type { Judgement } from '../../shared/contract/judgement/judgement.ts';
import { JudgeInput } from '../../shared/contract/messages/queue.ts';
import { JudgeModels } from '../../shared/contract/models/models.ts';
import { ENV } from '../../shared/contract/names.ts';
import { ApprovalRules } from '../../shared/control/approvals/rules.ts';
import { askModel } from '../../shared/reviews/model-clients/ask.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import { askJudges, type JudgingContext } from '../../shared/use-cases/review/ask-judges.ts';
import { budgetStops } from '../runtime/budget-stops.ts';
import { cascadePolicy } from '../runtime/config.ts';
import { stores } from '../runtime/dynamodb.ts';
import { heard } from '../runtime/heard.ts';
import { keyOf } from '../runtime/model-key.ts';
import { objects } from '../runtime/objects.ts';

const { tasks, breakers, spend } = stores();
const context: JudgingContext = {
  tasks,
  breaker: (model) => breakers.read(model),
  objects: objects(),
  autonomy: ApprovalRules.parse(JSON.parse(optionalEnv(ENV.approvalRules, '{}'))).autonomy,
  models: JudgeModels.parse(JSON.parse(optionalEnv(ENV.judgeModels, '{}'))),
  money: { policy: cascadePolicy(), spend, onStop: budgetStops() },
  ask: askModel({ readKey: keyOf }),
  now: () => new Date(),
};

/** Asks the models about an attempt; the one function of the janitor that calls anybody outside. */
export const handler = heard(async (event: unknown): Promise<Judgement[]> => {
  const { task_id, attempt, look, pipeline } = JudgeInput.parse(event);
  return askJudges(task_id, attempt, { look, pipeline }, context);
});
