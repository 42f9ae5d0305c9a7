import { CascadeResult, CascadeStep } from '../../shared/contract/messages/queue.ts';
import {
  type CascadeContext,
  decideStep,
  selectModel,
  settleStep,
} from '../../shared/use-cases/cascade/cascade.ts';
import { cascadePolicy, deployedAgents, holdLimit, tierModels } from '../runtime/config.ts';
import { stores } from '../runtime/dynamodb.ts';
import { heard } from '../runtime/heard.ts';

const { tasks, deadlines, locks, beliefs, evolution, spend, providers } = stores();
const models = tierModels();
const agents = deployedAgents();
const holds = holdLimit();
const learning = { beliefs, spend, evolution, policy: cascadePolicy() };
const STEPS = { select_model: selectModel, decide: decideStep, settle: settleStep } as const;

/** A step of the cascade machine: ids in, where to go on out. */
export const handler = heard(async (event: unknown): Promise<CascadeResult> => {
  const { step, task_id, run, waited, again = false } = CascadeStep.parse(event);
  const context: CascadeContext = {
    tasks,
    deadlines,
    locks,
    models,
    agents,
    providers,
    holds,
    learning,
    now: new Date(),
    again,
    mayWait: waited !== true,
  };
  return CascadeResult.parse(await STEPS[step](task_id, run, context));
});
