import { LAUNCH_KINDS } from '../../contract/launch-kind.ts';
import type { Task } from '../../contract/task/task.ts';

/** Why a box brought nothing: it never ran or was taken away, it is gone, its agent fell silent, or ECS will not start it at all. */
export const CONTAINER_LOSS_REASONS = [
  'excused',
  'container_lost',
  'lease_expired',
  'launch_refused',
] as const;
export type ContainerLossReason = (typeof CONTAINER_LOSS_REASONS)[number];

/** The boxes that one write of a task gives up. */
export function newContainerLosses(before: Task | null, after: Task): ContainerLossReason[] {
  if (after.failure?.code === 'launch_refused' && before?.failure?.code !== 'launch_refused')
    return ['launch_refused'];
  return after.attempts.flatMap((attempt): ContainerLossReason[] => {
    const was = before?.attempts.find(({ number }) => number === attempt.number);
    const launches = LAUNCH_KINDS.flatMap((kind): ContainerLossReason[] => {
      const launch = attempt[kind];
      // A new challenge gives up the container of the earlier one, which is counted already if it was lost.
      if (!launch?.lost || launch.earlier_launches === launch.number) return [];
      if ((launch.excused_losses ?? 0) > (was?.[kind]?.excused_losses ?? 0)) return ['excused'];
      return was?.[kind]?.lost && was[kind].number === launch.number ? [] : ['container_lost'];
    });
    const ended = attempt.outcome !== (was?.outcome ?? null) && attempt.report === null;
    if (ended && attempt.outcome === 'infra_failed') return [...launches, 'container_lost'];
    if (ended && attempt.outcome === 'expired' && attempt.lease_holder === 'managed')
      return [...launches, 'lease_expired'];
    return launches;
  });
}

const spent = (task: Task | null): number =>
  task?.attempts.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0) ?? 0;

/** Dollars for models that a write of a task has added; nothing for what is not known. */
export const addedModelCostUsd = (before: Task | null, after: Task): number =>
  Math.max(0, spent(after) - spent(before));
