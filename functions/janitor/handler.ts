import type { Verdict } from '../../shared/contract/evidence/schema.ts';
import { JanitorStepInput } from '../../shared/contract/messages/step-messages.ts';
import { JudgeModels } from '../../shared/contract/models/judge-models.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { AcceptedTreeStore } from '../../shared/store/accepted-trees.ts';
import { readOptionalEnv } from '../../shared/store/env.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { SettingTuningStore } from '../../shared/store/tuning-state.ts';
import {
  combineVerdictWithJudgements,
  type EvidenceReduction,
  reduceEvidenceToVerdict,
} from '../../shared/use-cases/review/janitor-steps.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { createObjectStore } from '../runtime/object-store.ts';
import { openTable } from '../runtime/open-table.ts';

const items = openTable();
const tasks = new TaskStore(items);
const accepted = new AcceptedTreeStore(items);
const tuning = new SettingTuningStore(items);
const objects = createObjectStore();
const models = JudgeModels.parse(JSON.parse(readOptionalEnv(FUNCTION_ENV_NAMES.knownJudgeModels, '{}')));

/** A step of the janitor machine: `reduce` answers a verdict, `combine` writes the joined one and answers its word. */
export const handler = withErrorLogging(
  async (event: unknown): Promise<EvidenceReduction | { verdict: Verdict['verdict'] }> => {
    const step = JanitorStepInput.parse(event);
    if (step.step === 'reduce')
      return reduceEvidenceToVerdict(step, { tasks, objects, models, tuning, now: new Date() });
    return {
      verdict: await combineVerdictWithJudgements(step, step, {
        tasks,
        accepted,
        challenges: { objects, models },
        now: new Date(),
      }),
    };
  },
);
