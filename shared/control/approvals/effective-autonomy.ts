import { type AutonomyLevel, getLowerAutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { Task } from '../../contract/task/task.ts';

/** What counts while nobody has read what the base says: the least freedom, so that a base that could not be read frees nobody. */
const UNREAD_BASE_AUTONOMY: AutonomyLevel = 'locked';

/** The level in force for a task: the lowest of what the deployment, the base commit and the request say. Nobody of them can raise another's. */
export const determineEffectiveAutonomyLevel = (
  { autonomy, base_autonomy }: Pick<Task, 'autonomy' | 'base_autonomy'>,
  deployment: AutonomyLevel,
): AutonomyLevel =>
  getLowerAutonomyLevel(
    getLowerAutonomyLevel(deployment, autonomy),
    base_autonomy === undefined ? UNREAD_BASE_AUTONOMY : (base_autonomy ?? undefined),
  );

/** What is written down of a base whose files cannot be read one by one. */
export const AUTONOMY_OF_UNREADABLE_BASE = UNREAD_BASE_AUTONOMY;
