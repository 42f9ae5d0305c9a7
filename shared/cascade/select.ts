import type { Task } from '../task/task.ts';
import { effortFor, ladder, type Rung, type TierModels } from './tiers.ts';

/** Which model the next attempt runs on, and at what effort. */
export interface Selection {
  readonly rung: Rung;
  readonly effort: ReturnType<typeof effortFor>;
}

/** The next attempt's model: what the last decision named, else (first attempt, lost box, expired lease) the same again or the first rung. */
export function select(task: Task, models: TierModels): Selection {
  const rungs = ladder(task, models);
  const first = rungs[0] ?? { tier: null, model: models.haiku };
  const last = task.attempts.at(-1);
  const fresh = !last || last.number < task.budget_from;
  const wanted = fresh
    ? null
    : (last.decision?.next_model ??
      (last.outcome === 'infra_failed' || last.outcome === 'expired' ? last.model : null));
  const rung =
    wanted === null ? first : (rungs.find((each) => each.model === wanted) ?? { tier: null, model: wanted });
  return { rung, effort: effortFor(task, rung) };
}
