import { CascadeStepInput, CascadeStepResult } from '../../shared/contract/messages/step-messages.ts';
import {
  type CascadeContext,
  decideStep,
  runSelectModelStep,
  settleStep,
} from '../../shared/use-cases/cascade/cascade-steps.ts';
import { readCascadePolicy, readDeployedAgents, readHoldLimit, readTierModels } from '../runtime/config.ts';
import { withFailureLog } from '../runtime/log-context.ts';
import { createStores } from '../runtime/stores.ts';

const { tasks, deadlines, locks, beliefs, tuning, spend, providerCooldowns: providers } = createStores();
const models = readTierModels();
const agents = readDeployedAgents();
const holds = readHoldLimit();
const learning = { beliefs, spend, tuning, policy: readCascadePolicy() };
const STEPS = { select_model: runSelectModelStep, decide: decideStep, settle: settleStep } as const;

/** A step of the cascade machine: ids in, where to go on out. */
export const handler = withFailureLog(async (event: unknown): Promise<CascadeStepResult> => {
  const { step, task_id, run, waited, again = false } = CascadeStepInput.parse(event);
  const context: CascadeContext = {
    tasks,
    deadlines,
    locks,
    models,
    agents,
    providers,
    holdLimit: holds,
    learning,
    now: new Date(),
    isRetry: again,
    canWait: waited !== true,
  };
  return CascadeStepResult.parse(await STEPS[step](task_id, run, context));
});
