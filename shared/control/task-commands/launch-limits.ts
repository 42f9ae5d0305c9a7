import type { LaunchKind } from '../../contract/launch-kind.ts';
import type { ContainerLaunch } from '../../contract/task/attempt.ts';

/** How many agent or gates containers may be lost for one attempt. Lost deliveries count against the retries of the task. */
export const MAX_LOST_LAUNCHES = 3;
/** How many may be excused: not started by ECS, or taken away. */
export const MAX_EXCUSED_LAUNCHES = 10;

/** Returns how many containers of a launch that is lost count as lost. */
export const countLostLaunches = ({
  number,
  excused_losses = 0,
  earlier_launches = 0,
}: ContainerLaunch): number => number - excused_losses - earlier_launches;

/** Why there will be no further box of this kind for the attempt; null: there may be one. */
export function findLaunchGiveUpReason(
  launch: ContainerLaunch | null | undefined,
  kind: LaunchKind,
): 'container_lost' | 'launch_refused' | null {
  if (!launch?.lost) return null;
  if ((launch.excused_losses ?? 0) >= MAX_EXCUSED_LAUNCHES) return 'launch_refused';
  const isOver =
    kind === 'deliver' ? launch.retries_exhausted === true : countLostLaunches(launch) >= MAX_LOST_LAUNCHES;
  return isOver ? 'container_lost' : null;
}
