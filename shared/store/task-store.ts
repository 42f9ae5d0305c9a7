import { Refusal } from '../contract/refusal.ts';
import {
  TABLE_INDEXES,
  TABLE_ITEM_KEY_PREFIXES,
  TASKS_TABLE_KEY_ATTRIBUTES,
  type TaskSummaryField,
} from '../contract/resource-names.ts';
import { shrinkTaskToItem } from '../contract/task/shrink-task.ts';
import { TASK_LIFECYCLE, type TaskStatus } from '../contract/task/status.ts';
import type { Task } from '../contract/task/task.ts';
import {
  applyChallengerUsage,
  applyGatesUsage,
  applyMeteredUsage,
  applyMissingMeter,
  shouldReadAgentMeter,
  shouldReadChallengerMeter,
  shouldReadGatesMeter,
} from '../control/model-gateway/metered-usage.ts';
import { failTooLargeTask } from '../control/task-commands/fail-too-large.ts';
import { applyHeartbeat, findHeartbeatAttempt } from '../control/task-commands/heartbeat.ts';
import type { TaskChange, TaskCommand } from '../control/task-commands/task-change.ts';
import { buildLifecycleEventCondition } from './event-condition.ts';
import { HeartbeatStore } from './heartbeats.ts';
import { IF_ITEM_ABSENT, type ItemTable } from './item-table.ts';
import {
  APPROVAL_REQUESTER_ATTRIBUTE,
  buildQueuePartition,
  buildTaskItemKey,
  taskFromItem,
  taskToItem,
} from './task-item.ts';
import { UsageMeterStore } from './usage-meters.ts';

/** How often a lost race is run again before the caller is told to come back. Each loss means that somebody else got on. */
const MAX_RACES = 25;

/** DynamoDB has no error of its own for an item of more than 400 KB. */
const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ValidationException' && /item size/i.test(error.message);

interface WriteRestriction {
  readonly condition: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Who may not make this write: whoever asked for the approval that it decides, and whoever did the work that it judges. Whatever a caller
 * has read, the item that is there says who that was.
 */
function selfReviewRestriction({ reviewers = [], excludedDecider, task }: TaskChange): WriteRestriction {
  const last = task.attempts.length - 1;
  const values = Object.fromEntries(reviewers.map((judge, index) => [`:judge${index}`, judge]));
  return {
    condition: [
      excludedDecider === undefined ? '' : ' AND #requester <> :by',
      reviewers.length === 0
        ? ''
        : ` AND NOT #attempts[${last}].#holder IN (${Object.keys(values).join(', ')})`,
    ].join(''),
    names: {
      ...(excludedDecider !== undefined && { '#requester': APPROVAL_REQUESTER_ATTRIBUTE }),
      ...(reviewers.length > 0 && { '#attempts': 'attempts', '#holder': 'lease_holder' }),
    },
    values: { ...(excludedDecider !== undefined && { ':by': excludedDecider }), ...values },
  };
}

/** A row of the `by_status` index. */
export type TaskIndexRow = Pick<Task, TaskSummaryField | 'run'> & {
  readonly lease_until?: number;
  readonly [TABLE_INDEXES.byStatus.sk]: string;
};

export interface TaskIndexPage {
  readonly rows: TaskIndexRow[];
  readonly hasMore: boolean;
}

/** Tasks in the table. Every write is one conditional Put of one whole item, which is made to fit. */
export class TaskStore {
  readonly #table: ItemTable;
  readonly #guard: (task: Task) => void;
  readonly #meters: UsageMeterStore;
  readonly #beats: HeartbeatStore;

  constructor(table: ItemTable, guard: (task: Task) => void = () => {}) {
    this.#table = table;
    this.#guard = guard;
    this.#meters = new UsageMeterStore(table);
    this.#beats = new HeartbeatStore(table);
  }

  /** The same tasks for somebody who may not see or change each of them: `guard` throws for those, at every read and every write. */
  withGuard(guard: (task: Task) => void): TaskStore {
    return new TaskStore(this.#table, guard);
  }

  /** The task, read consistently, with the last sign of life of its agent; null when there is none. */
  async get(id: string): Promise<Task | null> {
    const item = await this.#table.get(buildTaskItemKey(id));
    return item && this.#alive(taskFromItem(item));
  }

  async #alive(task: Task): Promise<Task> {
    const attempt = findHeartbeatAttempt(task);
    const beat = attempt && (await this.#beats.read(task.id, attempt.number));
    return beat ? applyHeartbeat(task, beat) : task;
  }

  /** As `get`, but a missing task is a refusal. */
  async require(id: string): Promise<Task> {
    const task = await this.get(id);
    if (!task) throw new Refusal('not_found', `there is no task ${id}`);
    this.#guard(task);
    return task;
  }

  #shows(task: Task): boolean {
    try {
      this.#guard(task);
      return true;
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }

  /** The tasks that exist among `ids`, by id; for somebody who may not see one of them, it does not. */
  async getMany(ids: readonly string[]): Promise<Map<string, Task>> {
    const found = new Map<string, Task>();
    for await (const item of this.#table.batchGet([...new Set(ids)].map(buildTaskItemKey))) {
      const task = taskFromItem(item);
      if (this.#shows(task)) found.set(task.id, task);
    }
    return found;
  }

  /** Writes a new task. When the id is taken, answers with the task that has it instead. */
  async create(task: Task): Promise<{ created: boolean; task: Task }> {
    if (await this.#table.putIf(taskToItem(task), IF_ITEM_ABSENT)) return { created: true, task };
    const present = await this.get(task.id);
    // The task that had the id was deleted since: rare, and a good moment to try again.
    if (!present) throw new Refusal('busy', `the id ${task.id} was taken a moment ago; try again`);
    return { created: false, task: present };
  }

  /**
   * Applies a command: read, compute, write under the condition that nothing has changed in between; a lost race is computed again.
   * Answers with the task as it stands afterwards.
   * Given the task, as `get` has read it, instead of its id, the first read is saved: the condition tells whether it is still as it was.
   */
  async applyCommand(of: string | Task, command: TaskCommand): Promise<Task> {
    return (await this.apply(of, command)).task;
  }

  /** As `applyCommand`, and says whether something was written. */
  async apply(of: string | Task, command: TaskCommand): Promise<{ task: Task; changed: boolean }> {
    let task = typeof of === 'string' ? await this.require(of) : of;
    const { id } = task;
    for (let race = 0; race < MAX_RACES; race++) {
      this.#guard(task);
      const wanted = command(task);
      if (wanted === null) return { task, changed: false };
      const witnessed = await this.#witness(wanted, task);
      const change = { ...witnessed, task: shrinkTaskToItem(witnessed.task) };
      let lost = await this.#write(change, task.version);
      if (lost === 'too large') {
        const failed = failTooLargeTask(task, witnessed);
        if (failed === null)
          throw new Refusal('invalid', `task ${id} would be larger than the table can hold`);
        lost = await this.#write(failed, task.version);
        if (lost === null) return { task: failed.task, changed: true };
        if (lost === 'too large') throw new Error(`task ${id} cannot be written, not even as failed`);
      }
      if (lost === null) return { task: change.task, changed: true };
      task = lost === 'unknown' ? await this.require(id) : await this.#alive(lost);
    }
    throw new Refusal('busy', `task ${id} changes too fast; try again`);
  }

  /**
   * Whatever ends an attempt, or a part of one, takes what its meter says along. Here, because every end comes by here: a report, a lost
   * lease, a cancellation.
   */
  async #witness(change: TaskChange, before: Task): Promise<TaskChange> {
    const attempts = await Promise.all(
      change.task.attempts.map(async (attempt, index) => {
        const { id } = change.task;
        const earlier = before.attempts[index];
        const [agent, gates, challenger] = await Promise.all([
          shouldReadAgentMeter(attempt, earlier) ? this.#meters.read(id, attempt.number) : null,
          shouldReadGatesMeter(attempt, earlier) ? this.#meters.read(id, attempt.number, 'gates') : null,
          shouldReadChallengerMeter(attempt, earlier)
            ? this.#meters.read(id, attempt.number, 'challenger')
            : null,
        ]);
        const hasEnded = attempt.outcome !== null && earlier?.outcome == null;
        const known =
          agent !== null
            ? applyMeteredUsage(attempt, agent)
            : hasEnded
              ? applyMissingMeter(attempt, change.task.runner)
              : attempt;
        const judged = gates === null ? known : applyGatesUsage(known, gates);
        return challenger === null ? judged : applyChallengerUsage(judged, challenger);
      }),
    );
    return attempts.some((attempt, index) => attempt !== change.task.attempts[index])
      ? { ...change, task: { ...change.task, attempts } }
      : change;
  }

  /** Null when written; else the item that stood in the way, when the engine hands it out, or that there is too much in this one. */
  async #write(change: TaskChange, version: number): Promise<Task | 'unknown' | 'too large' | null> {
    const allowed = buildLifecycleEventCondition(TASK_LIFECYCLE, change.event, version);
    const judged = selfReviewRestriction(change);
    try {
      const present = await this.#table.putUnlessChanged(taskToItem(change.task), {
        ConditionExpression: `${allowed.ConditionExpression}${judged.condition}`,
        ExpressionAttributeNames: { ...allowed.ExpressionAttributeNames, ...judged.names },
        ExpressionAttributeValues: { ...allowed.ExpressionAttributeValues, ...judged.values },
      });
      return present === null || present === 'unknown' ? present : taskFromItem(present);
    } catch (error) {
      if (isTooLarge(error)) return 'too large';
      throw error;
    }
  }

  /** Claimable external tasks of a role, best first. */
  async listClaimable(
    role: string,
    limit: number,
    after?: Record<string, unknown>,
  ): Promise<{ ids: string[]; after?: Record<string, unknown> }> {
    const page = await this.#table.queryPage({
      index: TABLE_INDEXES.byQueue,
      pk: buildQueuePartition(role),
      pageSize: limit,
      after,
    });
    const ids = page.items.map((item) =>
      String(item[TASKS_TABLE_KEY_ATTRIBUTES.pk]).slice(TABLE_ITEM_KEY_PREFIXES.task.length),
    );
    return page.after ? { ids, after: page.after } : { ids };
  }

  /** Ids of tasks that wait for `id`, `most` at the most. */
  async listFirstWaiting(id: string, most: number): Promise<string[]> {
    const page = await this.#table.queryPage({ index: TABLE_INDEXES.byWait, pk: id, pageSize: most });
    return page.items.map((item) => String(item[TABLE_INDEXES.byWait.sk]));
  }

  /** Ids of the tasks that wait for `id`. */
  async listWaiting(id: string): Promise<string[]> {
    const ids: string[] = [];
    for await (const item of this.#table.query({ index: TABLE_INDEXES.byWait, pk: id }))
      ids.push(String(item[TABLE_INDEXES.byWait.sk]));
    return ids;
  }

  /** Tasks of one status, oldest first or, not `forward`, newest first, after the rank `after` (exclusive). */
  async listByStatus(
    status: TaskStatus,
    limit: number,
    after?: string,
    forward = true,
  ): Promise<TaskIndexPage> {
    const page = await this.#table.queryPage({
      index: TABLE_INDEXES.byStatus,
      pk: status,
      range: after === undefined ? undefined : [`#sk ${forward ? '>' : '<'} :after`, { ':after': after }],
      forward,
      pageSize: limit,
    });
    return { rows: page.items as TaskIndexRow[], hasMore: page.after !== null };
  }
}
