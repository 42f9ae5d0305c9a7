import type { LaunchKind } from '../../contract/launch-kind.ts';
import type { ContainerLaunch } from '../../contract/task/attempt.ts';

/** How many agent or gates containers may be lost for one attempt. Lost deliveries count against the retries of the task. */
export const MAX_LOST_LAUNCHES = 3;
/** How many may be excused: not started by ECS, or taken away. */
export const MAX_EXCUSED_LAUNCHES = 10;

/** Why there will be no further box of this kind for the attempt; null: there may be one. */
export function findLaunchGiveUpReason(
  launch: ContainerLaunch | null | undefined,
  kind: LaunchKind,
): 'container_lost' | 'launch_refused' | null {
  if (!launch?.lost) return null;
  const excused = launch.excused_losses ?? 0;
  if (excused >= MAX_EXCUSED_LAUNCHES) return 'launch_refused';
  const isOver =
    kind === 'deliver' ? launch.retries_exhausted === true : launch.number - excused >= MAX_LOST_LAUNCHES;
  return isOver ? 'container_lost' : null;
}
