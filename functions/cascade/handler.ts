import { CascadeStepInput, CascadeStepResult } from '../../shared/contract/messages/step-messages.ts';
import { DeadlineStore } from '../../shared/store/deadlines.ts';
import { FileLockStore } from '../../shared/store/file-locks.ts';
import { ModelSpendStore } from '../../shared/store/model-spend.ts';
import { ProviderCooldownStore } from '../../shared/store/provider-cooldowns.ts';
import { RoleLearningStore } from '../../shared/store/role-learning.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { SettingTuningStore } from '../../shared/store/tuning-state.ts';
import {
  type CascadeContext,
  runDecideStep,
  runFinishTaskStep,
  runSelectModelStep,
} from '../../shared/use-cases/cascade/cascade-steps.ts';
import {
  readAvailableAgents,
  readCascadePolicy,
  readReviewHoldLimit,
  readTierModels,
} from '../runtime/config.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { openTable } from '../runtime/open-table.ts';

const items = openTable();
const tasks = new TaskStore(items);
const deadlines = new DeadlineStore(items);
const locks = new FileLockStore(items, tasks);
const beliefs = new RoleLearningStore(items);
const tuning = new SettingTuningStore(items);
const spend = new ModelSpendStore(items);
const providers = new ProviderCooldownStore(items);
const models = readTierModels();
const agents = readAvailableAgents();
const holds = readReviewHoldLimit();
const learning = { beliefs, spend, tuning, policy: readCascadePolicy() };
const STEPS = { select_model: runSelectModelStep, decide: runDecideStep, settle: runFinishTaskStep } as const;

/** A step of the cascade machine: ids in, where to go on out. */
export const handler = withErrorLogging(async (event: unknown): Promise<CascadeStepResult> => {
  const { step, task_id, run, has_waited: waited, is_retry: again = false } = CascadeStepInput.parse(event);
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
