import { TABLE_INDEXES } from '../../contract/resource-names.ts';
import { isTerminalStatus, TASK_STATUSES } from '../../contract/task/status.ts';
import { nextDeadline } from '../../control/task-commands/deadline.ts';
import type { DeadlineStore } from '../../store/deadlines.ts';
import type { TaskStore } from '../../store/task-store.ts';
import type { Place, UpgradeStore } from '../../store/upgrades.ts';

const NAME = 'deadlines';
/** Tasks given their deadlines side by side, and between two looks at the time. */
const PAGE = 10;

/** In the order in which they are gone through, `blocked` first. */
const UNFINISHED = TASK_STATUSES.filter((status) => !isTerminalStatus(status));

export interface UpgradeContext {
  readonly tasks: TaskStore;
  readonly deadlines: DeadlineStore;
  readonly upgrades: UpgradeStore;
  /** Is there time left? The next round goes on where this one stops. */
  readonly goOn: () => boolean;
}

async function give(id: string, deadlines: DeadlineStore): Promise<boolean> {
  const watched = await deadlines.get(id);
  const due = watched?.deadline === null ? nextDeadline(watched.task) : null;
  if (!watched || due === null) return false;
  await deadlines.set(watched, due);
  return true;
}

/**
 * Gives those a deadline that were written by a version without any: nobody would look at them until something else happens to them. All
 * unfinished tasks are looked at, once; where that is done, one item says so.
 * @returns how many were given one.
 */
export async function giveDeadlines({ tasks, deadlines, upgrades, goOn }: UpgradeContext): Promise<number> {
  const begun = await upgrades.get(NAME);
  if (begun === 'done') return 0;
  let place: Place = begun ?? { status: 'blocked', after: null };
  let given = 0;
  while (goOn()) {
    const { rows, hasMore } = await tasks.listByStatus(place.status, PAGE, place.after ?? undefined);
    const results = await Promise.all(rows.map(({ id }) => give(id, deadlines)));
    given += results.filter(Boolean).length;
    const next = hasMore ? place.status : UNFINISHED[UNFINISHED.indexOf(place.status) + 1];
    if (next === undefined) {
      await upgrades.put(NAME, 'done');
      break;
    }
    place = {
      status: next,
      after: hasMore ? (rows.at(-1)?.[TABLE_INDEXES.byStatus.sk] ?? place.after) : null,
    };
    await upgrades.put(NAME, place);
  }
  return given;
}
