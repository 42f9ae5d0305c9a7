import { ApprovalRules } from '../../shared/approval/rules.ts';
import type { Judgement } from '../../shared/judging/judgement.ts';
import { JudgeModels } from '../../shared/judging/models.ts';
import { JudgeInput } from '../../shared/messages/queue.ts';
import { ENV } from '../../shared/names.ts';
import { askModel } from '../../shared/providers/ask.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import { askJudges, type JudgingContext } from '../../shared/use-cases/ask-judges.ts';
import { budgetStops } from '../kit/budget-stops.ts';
import { cascadePolicy } from '../kit/config.ts';
import { stores } from '../kit/dynamodb.ts';
import { heard } from '../kit/heard.ts';
import { keyOf } from '../kit/model-key.ts';
import { objects } from '../kit/objects.ts';

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
