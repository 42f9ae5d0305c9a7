import { LAUNCH_GRACE_SECONDS, LONGEST_BOX_SECONDS } from '../../control/task-commands/deadline.ts';
import { isAwaited, restart } from '../../control/task-commands/recover.ts';
import type { RegisteredBox } from '../../store/box-register.ts';
import type { Boxes, BoxState } from '../../store/boxes.ts';
import { boxNamed, boxStopped, type StoppedContext } from './box-stopped.ts';

export interface SweepContext extends StoppedContext {
  readonly boxes: Boxes;
  /** Seconds that ECS may not know a box that it has started. */
  readonly graceSeconds: number;
  /** True when all boxes may be gone at once: then what was asked for is looked at before its time. */
  readonly all: boolean;
  readonly goOn: () => boolean;
}

export interface Swept {
  readonly boxes: number;
  /** `<box>: <why>`. */
  readonly failed: readonly string[];
}

const older = (iso: string, seconds: number, now: Date): boolean =>
  now.getTime() - Date.parse(iso) >= seconds * 1_000;

/** What ECS says of a box that was started. */
async function lookAt(box: RegisteredBox, state: BoxState | undefined, context: SweepContext): Promise<void> {
  const { name, at, arn } = box;
  const now = context.now();
  if (!state) {
    if (older(at, context.graceSeconds, now))
      await boxStopped(name, '', 'ECS does not know the container any more', context);
    return;
  }
  if (state.stopped) {
    await boxStopped(name, state.stopCode, `the container is gone without a report; ${state.why}`, context);
    return;
  }
  const kind = boxNamed(name)?.kind;
  const longest = kind ? LONGEST_BOX_SECONDS[kind] : Number.POSITIVE_INFINITY;
  if (!arn || !older(at, longest, now)) return;
  // First, because nobody looks at a box that is written down as lost. What it has reported meanwhile counts.
  await context.boxes.stop(arn, `no report after ${longest} s`);
  await boxStopped(
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
async function askAgain(box: RegisteredBox, context: SweepContext): Promise<void> {
  const now = context.now();
  const grace = context.all ? 0 : LAUNCH_GRACE_SECONDS;
  if (!older(box.at, grace, now)) return;
  const named = boxNamed(box.name);
  const task = named && (await context.tasks.get(named.task));
  if (!named || !task || !isAwaited(task, named.attempt, named.kind, named.number)) {
    await context.register.release(box);
    return;
  }
  await context.tasks.change(task, (each) =>
    each.run === task.run && older(each.updated_at, grace, now) ? restart(each, now) : null,
  );
}

/** Looks at all boxes that run or are asked for, a hundred with one call of ECS. */
export async function sweepBoxes(context: SweepContext): Promise<Swept> {
  const all = await context.register.list();
  const failed: string[] = [];
  const each = async (boxes: readonly RegisteredBox[], look: (box: RegisteredBox) => Promise<void>) => {
    for (const box of boxes)
      await look(box).catch((error: unknown) => {
        failed.push(`${box.name}: ${error instanceof Error ? error.message : String(error)}`);
      });
  };
  const started = all.filter(({ arn }) => arn !== null);
  for (let at = 0; at < started.length && context.goOn(); at += 100) {
    const some = started.slice(at, at + 100);
    const states = await context.boxes
      .describe(some.map(({ arn }) => arn ?? ''))
      .catch((error: unknown) => failed.push(`ECS: ${String(error)}`) && null);
    if (states) await each(some, (box) => lookAt(box, states.get(box.arn ?? ''), context));
  }
  await each(
    all.filter(({ arn }) => arn === null),
    (box) => askAgain(box, context),
  );
  return { boxes: all.length, failed };
}
