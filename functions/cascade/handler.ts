import { CascadeResult, CascadeStep } from '../../shared/messages/queue.ts';
import { type CascadeContext, decideStep, selectModel, settleStep } from '../../shared/use-cases/cascade.ts';
import { deployedAgents, holdLimit, tierModels } from '../kit/config.ts';
import { stores } from '../kit/dynamodb.ts';

const { tasks, locks } = stores();
const models = tierModels();
const agents = deployedAgents();
const holds = holdLimit();
const STEPS = { select_model: selectModel, decide: decideStep, settle: settleStep } as const;

/** A step of the cascade machine: ids in, where to go on out. */
export const handler = async (event: unknown): Promise<CascadeResult> => {
  const { step, task_id, run } = CascadeStep.parse(event);
  const context: CascadeContext = { tasks, locks, models, agents, holds, now: new Date() };
  return CascadeResult.parse(await STEPS[step](task_id, run, context));
};
