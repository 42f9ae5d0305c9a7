import { Tier } from '../contract/agents/tiers.ts';
import { TABLE_ITEM_KEY_PREFIXES, TASKS_TABLE_KEY_ATTRIBUTES } from '../contract/resource-names.ts';
import { TaskComplexity } from '../contract/submission/schema.ts';
import {
  type KeyedAttemptOutcome,
  LearnedAttemptOutcome,
} from '../control/cascade/learning/attempt-outcomes.ts';
import {
  addToRecentAttemptOutcomes,
  MAX_RECENT_ATTEMPT_OUTCOMES,
  selectLatestAttemptOutcomes,
} from '../control/cascade/learning/recent-attempt-outcomes.ts';
import {
  NO_TIER_LEARNING_OVERRIDES,
  TierLearningOverrides,
} from '../control/cascade/learning/tier-learning-overrides.ts';
import {
  EMPTY_ROLE_LEARNING_STATE,
  type RoleLearningState,
} from '../control/cascade/learning/tier-pass-rate.ts';
import { type ItemTable, itemKey, type TableItem } from './item-table.ts';
import { computeShard } from './shard.ts';

const WINDOW_PREFIX = 'window#';
/** Items of one window: writers of the same one race, and each writes all of it. */
const SHARDS = 8;
/** Outcomes of an item: twice its even share, so that the latest of all are among them though chance spreads them unevenly. */
const KEPT = Math.ceil((2 * MAX_RECENT_ATTEMPT_OUTCOMES) / SHARDS);
const CONTROL = 'control';

const partition = (role: string): string => `${TABLE_ITEM_KEY_PREFIXES.belief}${role}`;

/**
 * What is learned of roles: for each role, complexity and tier some items with the latest outcomes, an attempt always in the same one, and
 * one item for a person's word. Each is written under the condition that it is as it was read.
 */
export class RoleLearningStore {
  readonly #table: ItemTable;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** Remembers an outcome, once however often it comes. */
  recordOutcome({ role, complexity, tier, outcome }: KeyedAttemptOutcome): Promise<void> {
    const shard = computeShard(outcome.id, SHARDS);
    const key = itemKey(partition(role), `${WINDOW_PREFIX}${complexity}#${tier}#${shard}`);
    return this.#table.updateVersioned(key, `what is learned of role ${role}`, (present) => {
      const window = addToRecentAttemptOutcomes(
        LearnedAttemptOutcome.array().parse(present?.['outcomes'] ?? []),
        outcome,
        KEPT,
      );
      return { fields: window && { outcomes: window }, result: undefined };
    });
  }

  /** All that is remembered of a role. It may be some moments old: a choice needs no more. */
  async readRole(role: string): Promise<RoleLearningState> {
    let memory = EMPTY_ROLE_LEARNING_STATE;
    for await (const item of this.#table.query({ pk: partition(role) })) memory = withItem(memory, item);
    return memory;
  }

  /** Changes a person's word on a role; `change` answers null where there is nothing to change. */
  updateControl(
    role: string,
    change: (control: TierLearningOverrides) => TierLearningOverrides | null,
  ): Promise<TierLearningOverrides> {
    return this.#table.updateVersioned(
      itemKey(partition(role), CONTROL),
      `the word on role ${role}`,
      (item) => {
        const present = item ? TierLearningOverrides.parse(item) : NO_TIER_LEARNING_OVERRIDES;
        const fields = change(present);
        return { fields, result: fields ?? present };
      },
    );
  }
}

/** Adds an item to what is remembered of a role: the control, or one part of a window. */
function withItem(memory: RoleLearningState, item: TableItem): RoleLearningState {
  const sk = String(item[TASKS_TABLE_KEY_ATTRIBUTES.sk]);
  if (sk === CONTROL) return { ...memory, control: TierLearningOverrides.parse(item) };
  const [first, second] = sk.slice(WINDOW_PREFIX.length).split('#');
  const [complexity, tier] = [TaskComplexity.parse(first), Tier.parse(second)];
  const isSame = (each: RoleLearningState['windows'][number]): boolean =>
    each.complexity === complexity && each.tier === tier;
  const known = memory.windows.find(isSame)?.window ?? [];
  const window = selectLatestAttemptOutcomes([
    ...known,
    ...LearnedAttemptOutcome.array().parse(item['outcomes']),
  ]);
  return {
    ...memory,
    windows: [...memory.windows.filter((each) => !isSame(each)), { complexity, tier, window }],
  };
}
