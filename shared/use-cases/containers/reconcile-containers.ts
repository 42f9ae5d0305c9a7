import {
  LAUNCH_LOST_AFTER_SECONDS,
  LAUNCH_RETRY_AFTER_SECONDS,
} from '../../control/task-commands/deadline.ts';
import { isLaunchAwaited, restartCascade } from '../../control/task-commands/recover.ts';
import type { ContainerState, EcsContainerClient } from '../../store/ecs-containers.ts';
import type { RunningContainerEntry } from '../../store/running-containers.ts';
import {
  type ContainerStoppedContext,
  parseContainerName,
  recordContainerStop,
} from './container-stopped.ts';

export interface ReconcileContainersContext extends ContainerStoppedContext {
  readonly containers: EcsContainerClient;
  /** Seconds that ECS may not know a box that it has started. */
  readonly graceSeconds: number;
  /** True when all boxes may be gone at once: then what was asked for is looked at before its time. */
  readonly isAfterRestart: boolean;
  readonly hasTimeLeft: () => boolean;
}

export interface ReconcileContainersResult {
  readonly containers: number;
  /** `<box>: <why>`. */
  readonly failed: readonly string[];
}

const isOlderThan = (iso: string, seconds: number, now: Date): boolean =>
  now.getTime() - Date.parse(iso) >= seconds * 1_000;

/** What ECS says of a box that was started. */
async function checkStartedContainer(
  box: RunningContainerEntry,
  state: ContainerState | undefined,
  context: ReconcileContainersContext,
): Promise<void> {
  const { name, at, arn } = box;
  const now = context.now();
  if (!state) {
    if (isOlderThan(at, context.graceSeconds, now))
      await recordContainerStop(name, '', 'ECS does not know the container any more', context);
    return;
  }
  if (state.isStopped) {
    await recordContainerStop(
      name,
      state.stopCode,
      `the container is gone without a report; ${state.reason}`,
      context,
    );
    return;
  }
  const kind = parseContainerName(name)?.kind;
  const longest = kind ? LAUNCH_LOST_AFTER_SECONDS[kind] : Number.POSITIVE_INFINITY;
  if (!arn || !isOlderThan(at, longest, now)) return;
  // First, because nobody looks at a box that is written down as lost. What it has reported meanwhile counts.
  await context.containers.stop(arn, `no report after ${longest} s`);
  await recordContainerStop(
    name,
    '',
    `the ${kind} container has run for ${longest} s without a report, and was stopped`,
    context,
  );
}

/**
 * A box that was asked for, and nobody has said that it runs. Its message comes again by itself within the grace; after that it is sent
 * again, by a new run of the task: the client token keeps ECS from starting it twice. What is awaited no more makes room.
 */
async function relaunchOverdueContainer(
  box: RunningContainerEntry,
  context: ReconcileContainersContext,
): Promise<void> {
  const now = context.now();
  const grace = context.isAfterRestart ? 0 : LAUNCH_RETRY_AFTER_SECONDS;
  if (!isOlderThan(box.at, grace, now)) return;
  const named = parseContainerName(box.name);
  const task = named && (await context.tasks.get(named.task));
  if (!named || !task || !isLaunchAwaited(task, named.attempt, named.kind, named.number)) {
    await context.register.release(box);
    return;
  }
  await context.tasks.applyCommand(task, (each) =>
    each.run === task.run && isOlderThan(each.updated_at, grace, now) ? restartCascade(each, now) : null,
  );
}

/** Looks at all boxes that run or are asked for, a hundred with one call of ECS. */
export async function reconcileContainers(
  context: ReconcileContainersContext,
): Promise<ReconcileContainersResult> {
  const all = await context.register.list();
  const failed: string[] = [];
  const each = async (
    boxes: readonly RunningContainerEntry[],
    look: (box: RunningContainerEntry) => Promise<void>,
  ) => {
    for (const box of boxes)
      await look(box).catch((error: unknown) => {
        failed.push(`${box.name}: ${error instanceof Error ? error.message : String(error)}`);
      });
  };
  const started = all.filter(({ arn }) => arn !== null);
  for (let at = 0; at < started.length && context.hasTimeLeft(); at += 100) {
    const some = started.slice(at, at + 100);
    const states = await context.containers
      .describe(some.map(({ arn }) => arn ?? ''))
      .catch((error: unknown) => failed.push(`ECS: ${String(error)}`) && null);
    if (states) await each(some, (box) => checkStartedContainer(box, states.get(box.arn ?? ''), context));
  }
  await each(
    all.filter(({ arn }) => arn === null),
    (box) => relaunchOverdueContainer(box, context),
  );
  return { containers: all.length, failed };
}
