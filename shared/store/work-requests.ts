import type { WorkRequest } from '../contract/intake/schema.ts';
import { WORK_REQUEST_LIFECYCLE, type WorkRequestStatus } from '../contract/intake/status.ts';
import { Refusal } from '../contract/refusal.ts';
import {
  TABLE_INDEXES,
  TABLE_ITEM_KEY_PREFIXES,
  TASKS_TABLE_KEY_ATTRIBUTES,
} from '../contract/resource-names.ts';
import { hasBeenApproved, type WorkRequestChange } from '../control/intake/commands.ts';
import { FOLLOW_UP_CHECK_SECONDS } from '../control/task-commands/deadline.ts';
import { buildLifecycleEventCondition } from './event-condition.ts';
import { IF_ITEM_ABSENT, type ItemTable, itemKey, type TableItem } from './item-table.ts';
import { buildWorkRequestDeadlineKey, creationSortKey } from './task-item.ts';

const MAX_RACES = 25;

const keyOf = (id: string): TableItem =>
  itemKey(`${TABLE_ITEM_KEY_PREFIXES.request}${id}`, TASKS_TABLE_KEY_ATTRIBUTES.requestSk);
const partition = (status: WorkRequestStatus): string => `request#${status}`;

const OWN: ReadonlySet<string> = new Set([
  TASKS_TABLE_KEY_ATTRIBUTES.pk,
  TASKS_TABLE_KEY_ATTRIBUTES.sk,
  ...Object.values(TABLE_INDEXES).flatMap(({ pk, sk }) => [pk, sk]),
]);

/** The item of a request. What must follow from it is looked at once more after a while, in case the stream has lost it. */
export function workRequestToItem(request: WorkRequest, settled = false): Record<string, unknown> {
  const due = new Date(Date.parse(request.updated_at) + FOLLOW_UP_CHECK_SECONDS * 1_000);
  return {
    ...keyOf(request.id),
    ...request,
    expires_at: request.expires_at ?? undefined,
    [TABLE_INDEXES.byStatus.pk]: partition(request.status),
    [TABLE_INDEXES.byStatus.sk]: creationSortKey(request),
    ...(hasBeenApproved(request) && !settled ? buildWorkRequestDeadlineKey(request.id, due) : {}),
  };
}

/** A request from its item. */
export const workRequestFromItem = (item: Record<string, unknown>): WorkRequest =>
  ({
    ...Object.fromEntries(Object.entries(item).filter(([name]) => !OWN.has(name))),
    expires_at: item['expires_at'] ?? null,
  }) as WorkRequest;

/** Requests in the table. Every write is one conditional Put of one whole item. */
export class WorkRequestStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  async find(id: string): Promise<WorkRequest | null> {
    const item = await this.#table.get(keyOf(id));
    return item && workRequestFromItem(item);
  }

  /** As `find`; a missing one, and one that `shows` does not, is a refusal. */
  async require(id: string, shows: (request: WorkRequest) => boolean = () => true): Promise<WorkRequest> {
    const request = await this.find(id);
    if (!request || !shows(request)) throw new Refusal('not_found', `there is no request ${id}`);
    return request;
  }

  /** Writes a new request; the one that has its id already is the answer instead. */
  async create(request: WorkRequest): Promise<{ readonly entered: boolean; readonly request: WorkRequest }> {
    if (await this.#table.putIf(workRequestToItem(request), IF_ITEM_ABSENT))
      return { entered: true, request };
    const present = await this.find(request.id);
    if (!present) throw new Refusal('busy', `the id ${request.id} was taken a moment ago; try again`);
    return { entered: false, request: present };
  }

  /** Moves a request: read, compute, write under the condition that nothing has changed in between. */
  async applyCommand(
    id: string,
    command: (request: WorkRequest) => WorkRequestChange | null,
    shows?: (request: WorkRequest) => boolean,
  ): Promise<WorkRequest> {
    for (let race = 0; race < MAX_RACES; race++) {
      const present = await this.require(id, shows);
      const moved = command(present);
      if (moved === null) return present;
      const written = await this.#table.putIf(
        workRequestToItem(moved.request),
        buildLifecycleEventCondition(WORK_REQUEST_LIFECYCLE, moved.event, present.version),
      );
      if (written) return moved.request;
    }
    throw new Refusal('busy', `request ${id} changes too fast; try again`);
  }

  /** All that follows from a request has followed: nobody has to look at it again. */
  async clearDeadline(request: WorkRequest): Promise<void> {
    await this.#table.putIf(workRequestToItem(request, true), {
      ConditionExpression: '#version = :version',
      ExpressionAttributeNames: { '#version': 'version' },
      ExpressionAttributeValues: { ':version': request.version },
    });
  }

  /** Requests of one status, the oldest first, after the rank `after` (exclusive). */
  async listByStatus(
    status: WorkRequestStatus,
    limit: number,
    after?: string,
  ): Promise<{ readonly ids: string[]; readonly next: string | null }> {
    const page = await this.#table.queryPage({
      index: TABLE_INDEXES.byStatus,
      pk: partition(status),
      range: after === undefined ? undefined : ['#sk > :after', { ':after': after }],
      pageSize: limit,
    });
    return {
      ids: page.items.map((item) => String(item['id'])),
      next: page.after && String(page.after[TABLE_INDEXES.byStatus.sk]),
    };
  }
}
