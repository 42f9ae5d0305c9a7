import { CascadeResult, CascadeStep } from '../../shared/messages/queue.ts';
import {
  type CascadeContext,
  decideStep,
  isElsewhere,
  selectModel,
  settleStep,
} from '../../shared/use-cases/cascade.ts';
import { cascadePolicy, deployedAgents, holdLimit, tierModels } from '../kit/config.ts';
import { stores } from '../kit/dynamodb.ts';

const { tasks, locks, beliefs, evolution, spend, providers } = stores();
const models = tierModels();
const agents = deployedAgents();
const holds = holdLimit();
const learning = { beliefs, spend, evolution, policy: cascadePolicy() };
const STEPS = { select_model: selectModel, decide: decideStep, settle: settleStep } as const;

/** A step of the cascade machine: ids in, where to go on out. */
export const handler = async (event: unknown): Promise<CascadeResult> => {
  const { step, task_id, run, said } = CascadeStep.parse(event);
  if (said && isElsewhere(said, step)) return said;
  const context: CascadeContext = {
    tasks,
    locks,
    models,
    agents,
    providers,
    holds,
    learning,
    now: new Date(),
  };
  return CascadeResult.parse(await STEPS[step](task_id, run, context));
};
