import type { Verdict } from '../../shared/contract/evidence/schema.ts';
import { JanitorStep } from '../../shared/contract/messages/queue.ts';
import { JudgeModels } from '../../shared/contract/models/models.ts';
import { ENV } from '../../shared/contract/names.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import { combineVerdicts, type Reduced, reduceEvidence } from '../../shared/use-cases/review/judge.ts';
import { stores } from '../runtime/dynamodb.ts';
import { heard } from '../runtime/heard.ts';
import { objects as objectStore } from '../runtime/objects.ts';

const { tasks, evolution } = stores();
const objects = objectStore();
const models = JudgeModels.parse(JSON.parse(optionalEnv(ENV.judgesKnown, '{}')));

/** A step of the janitor machine: `reduce` answers a verdict, `combine` writes the joined one and answers its word. */
export const handler = heard(async (event: unknown): Promise<Reduced | { verdict: Verdict['verdict'] }> => {
  const step = JanitorStep.parse(event);
  if (step.step === 'reduce')
    return reduceEvidence(step, { tasks, objects, models, evolution, now: new Date() });
  return { verdict: await combineVerdicts(step, step, { tasks, now: new Date() }) };
});
