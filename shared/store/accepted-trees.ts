import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import type { AttemptChallenge } from '../contract/task/attempt.ts';
import type { BaseCommitAndTree } from '../contract/task/task.ts';
import { type ItemTable, itemKey, type TableItem } from './item-table.ts';
import { computeTtlEpochSeconds } from './ttl.ts';

/** Longer than a task is kept, so that a task that exists can still be delivered. */
const KEPT_DAYS = 800;

type AcceptanceKind = 'passedTree' | 'approvedTree' | 'challengedTree';

/** What a challenged tree has passed as, and how its challenge decides. */
export type ChallengedTree = Pick<AttemptChallenge, 'mode' | 'refer_above'> & { readonly verified: boolean };

const keyOf = (kind: AcceptanceKind, task: string, { base_commit, tree }: BaseCommitAndTree): TableItem =>
  itemKey(`${TABLE_ITEM_KEY_PREFIXES[kind]}${task}`, `${base_commit}#${tree}`);

/**
 * Which tree, on which base commit, a task may deliver: one item for each passing verdict and each approval. They are items of their own
 * because whole task items are written by many functions, and these by one function each (`infra/table-access.ts`). The function that
 * delivers reads them and pushes nothing without one, whatever the task item says.
 */
export class AcceptedTreeStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** Records a passing verdict, before the task item has it. Only the janitor may. */
  async recordPassed(task: string, work: BaseCommitAndTree, now: Date): Promise<void> {
    await this.#record('passedTree', task, work, now);
  }

  /** Records a reviewer's approval, before the task item has it. Only the function with the review route may. */
  async recordApproved(task: string, work: BaseCommitAndTree, now: Date): Promise<void> {
    await this.#record('approvedTree', task, work, now);
  }

  /** Records a tree that has passed everything but its challenge, before the task item has that. Only the janitor may. */
  async recordChallenged(
    task: string,
    work: BaseCommitAndTree,
    { verified, mode, refer_above }: ChallengedTree,
    now: Date,
  ): Promise<void> {
    await this.#record('challengedTree', task, work, now, { verified, mode, refer_above });
  }

  /** Returns what was recorded of a challenged tree; null: nothing was. */
  async getChallenged(task: string, work: BaseCommitAndTree): Promise<ChallengedTree | null> {
    return (await this.#table.get(keyOf('challengedTree', task, work))) as ChallengedTree | null;
  }

  async #record(
    kind: AcceptanceKind,
    task: string,
    work: BaseCommitAndTree,
    now: Date,
    fields: Partial<ChallengedTree> = {},
  ): Promise<void> {
    await this.#table.put({
      ...keyOf(kind, task, work),
      ...fields,
      [TASKS_TABLE_KEY_ATTRIBUTES.ttl]: computeTtlEpochSeconds(KEPT_DAYS, now),
    });
  }

  /** Returns whether a verdict has passed exactly this tree on exactly this base commit, or a reviewer has approved it. */
  async isAccepted(task: string, work: BaseCommitAndTree): Promise<boolean> {
    for (const kind of ['passedTree', 'approvedTree'] as const)
      if ((await this.#table.get(keyOf(kind, task, work))) !== null) return true;
    return false;
  }
}
