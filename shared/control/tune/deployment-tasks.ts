import type { Tier, TierModels } from '../../contract/agents/tiers.ts';
import type { RoleLearningState } from '../cascade/learning/tier-pass-rate.ts';
import type { RecordedTask, RecordedTierOutcome } from '../cascade/simulation/recorded-outcomes.ts';

const taskOf = (attempt: string): string => attempt.slice(0, attempt.lastIndexOf('#'));
const numberOf = (attempt: string): number => Number(attempt.slice(attempt.lastIndexOf('#') + 1));

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

/** A task of ours, with when it first began. */
export interface LearnedRecordedTask extends RecordedTask {
  /** ISO time. */
  readonly started_at: string;
}

/**
 * What is learned of roles, as recorded tasks: the outcomes of a task on each tier, by the models that fill the tiers now. Several attempts on
 * one tier are one outcome, the last of them with what all have cost.
 */
export function deriveLearnedRecordedTasks(
  memories: ReadonlyMap<string, RoleLearningState>,
  models: TierModels,
): LearnedRecordedTask[] {
  const tasks = new Map<
    string,
    LearnedRecordedTask & { started_at: string; tiers: Partial<Record<Tier, RecordedTierOutcome>> }
  >();
  for (const [role, { windows, control }] of memories)
    for (const { complexity, tier, window } of windows)
      for (const outcome of window.toSorted((a, b) => numberOf(a.id) - numberOf(b.id))) {
        const { model, passed, cost_usd, seconds, at } = outcome;
        if (model !== models[tier] || at <= (control.since[tier] ?? '')) continue;
        const id = taskOf(outcome.id);
        const began = new Date(Date.parse(at) - (seconds ?? 0) * 1_000).toISOString();
        const task = tasks.get(id) ?? { id, role, complexity, started_at: began, tiers: {} };
        const before = task.tiers[tier];
        task.tiers[tier] = {
          model,
          passed,
          cost_usd: before ? sum(before.cost_usd, cost_usd) : cost_usd,
          seconds: before ? sum(before.seconds, seconds) : seconds,
        };
        if (began < task.started_at) task.started_at = began;
        tasks.set(id, task);
      }
  return [...tasks.values()].sort((a, b) =>
    a.started_at < b.started_at ? -1 : a.started_at > b.started_at ? 1 : a.id < b.id ? -1 : 1,
  );
}
