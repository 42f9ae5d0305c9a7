import { createHash } from 'node:crypto';
import { comparableRepositoryUrl } from '../contract/repository/repository-url.ts';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import { isNewerVerification, type PullRequestVerification } from '../contract/task/task.ts';
import { type ItemTable, itemKey, type TableItem } from './item-table.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

/** As long as tasks are kept after their end. */
const RETENTION_DAYS = 90;

/** So many comments of one pull request are answered within so many milliseconds. */
export const MAX_REQUESTS_PER_HOUR = 10;
const HOUR_MS = 3_600_000;
/** A comment that asked for something, and when it was counted. */
interface CountedRequest {
  readonly comment: number;
  readonly at: number;
}

interface PullRequestItem {
  readonly current: PullRequestVerification | null;
  readonly superseded: string | null;
  readonly closed_at?: string;
}

function keyOf(repository: string, number: number, row: 'current' | 'requests'): TableItem {
  const of = createHash('sha256').update(comparableRepositoryUrl(repository)).digest('hex').slice(0, 16);
  return itemKey(`${TABLE_ITEM_KEY_PREFIXES.pullRequest}${of}#${number}`, row);
}

/** Which task verifies each pull request now. */
export class PullRequestStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** Returns the task that verifies a pull request now, or null. */
  async findTask(repository: string, number: number): Promise<string | null> {
    const item = await this.#table.get(keyOf(repository, number, 'current'));
    return (item?.['current'] as PullRequestVerification | null | undefined)?.task_id ?? null;
  }

  /** Records when a pull request was closed: the verification of an earlier event of it, which comes late, is superseded. */
  recordClosed(repository: string, number: number, at: string, now: Date): Promise<void> {
    return this.#table.updateVersioned<void>(
      keyOf(repository, number, 'current'),
      `pull request ${number}`,
      (item) => {
        const known = item?.['closed_at'] as string | undefined;
        if (known !== undefined && Date.parse(known) >= Date.parse(at))
          return { fields: null, result: undefined };
        const { current = null, superseded = null } = (item ?? {}) as Partial<PullRequestItem>;
        return {
          fields: {
            ...{ current, superseded, closed_at: at },
            [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: computeTtlEpochSeconds(RETENTION_DAYS, now),
          },
          result: undefined,
        };
      },
    );
  }

  /**
   * Records a verification, unless a newer one is recorded. Returns the id of the task that is superseded: the earlier one, or this one if it
   * is late; null where there is no other. A repetition returns the same.
   */
  record(
    repository: string,
    number: number,
    made: PullRequestVerification,
    now: Date,
  ): Promise<string | null> {
    return this.#table.updateVersioned<string | null>(
      keyOf(repository, number, 'current'),
      `pull request ${number}`,
      (item) => {
        const {
          current = null,
          superseded: before = null,
          closed_at,
        } = (item ?? {}) as Partial<PullRequestItem>;
        if (current?.task_id === made.task_id) return { fields: null, result: before };
        const isClosed = closed_at !== undefined && Date.parse(made.at) <= Date.parse(closed_at);
        if (isClosed || (current && !isNewerVerification(made, current)))
          return { fields: null, result: made.task_id };
        const superseded = current?.task_id ?? null;
        return {
          fields: {
            ...{ current: made, superseded },
            ...(closed_at !== undefined && { closed_at }),
            [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: computeTtlEpochSeconds(RETENTION_DAYS, now),
          },
          result: superseded,
        };
      },
    );
  }

  /** Counts a comment that asks for something, once however often it is told of. Returns false if the limit of the hour is reached. */
  countRequest(repository: string, number: number, comment: number, now: Date): Promise<boolean> {
    return this.#table.updateVersioned<boolean>(
      keyOf(repository, number, 'requests'),
      `requests of pull request ${number}`,
      (item) => {
        const since = now.getTime() - HOUR_MS;
        const recent = ((item?.['requests'] ?? []) as readonly CountedRequest[]).filter(
          ({ at }) => at > since,
        );
        if (recent.some((each) => each.comment === comment)) return { fields: null, result: true };
        if (recent.length >= MAX_REQUESTS_PER_HOUR) return { fields: null, result: false };
        return {
          fields: {
            requests: [...recent, { comment, at: now.getTime() }],
            [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: computeTtlEpochSeconds(1, now),
          },
          result: true,
        };
      },
    );
  }
}
