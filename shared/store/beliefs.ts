import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { NO_MEMORY, type RoleMemory } from '../cascade/learning/belief.ts';
import { Control, NO_CONTROL } from '../cascade/learning/control.ts';
import { LearnedOutcome, type Observed } from '../cascade/learning/outcome.ts';
import { observe } from '../cascade/learning/window.ts';
import { Tier } from '../cascade/tiers.ts';
import { ITEM_PREFIX, TABLE } from '../names.ts';
import { Complexity } from '../task/schema.ts';
import { type Item, keyOf, RevisedItems } from './revised-items.ts';

const WINDOW = 'window#';
const CONTROL = 'control';

const partition = (role: string): string => `${ITEM_PREFIX.belief}${role}`;

/**
 * What is learned of roles: an item for each role, complexity and tier with the latest outcomes, and one for a person's word. Each is
 * written under the condition that it is as it was read.
 */
export class BeliefStore {
  readonly #items: RevisedItems;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#items = new RevisedItems(db, table);
  }

  /** Remembers an outcome, once however often it comes. */
  observe({ role, complexity, tier, outcome }: Observed): Promise<void> {
    const key = keyOf(partition(role), `${WINDOW}${complexity}#${tier}`);
    return this.#items.revise(key, `what is learned of role ${role}`, (present) => {
      const window = observe(LearnedOutcome.array().parse(present?.['outcomes'] ?? []), outcome);
      return { fields: window && { outcomes: window }, result: undefined };
    });
  }

  /** All that is remembered of a role. It may be some moments old: a choice needs no more. */
  async read(role: string): Promise<RoleMemory> {
    let memory = NO_MEMORY;
    let after: string | null = null;
    do {
      const page = await this.#items.itemsUnder(partition(role), { after });
      memory = page.items.reduce(withItem, memory);
      after = page.after;
    } while (after !== null);
    return memory;
  }

  /** Changes a person's word on a role; `change` answers null where there is nothing to change. */
  control(role: string, change: (control: Control) => Control | null): Promise<Control> {
    return this.#items.revise(keyOf(partition(role), CONTROL), `the word on role ${role}`, (item) => {
      const present = item ? Control.parse(item) : NO_CONTROL;
      const fields = change(present);
      return { fields, result: fields ?? present };
    });
  }
}

function withItem(memory: RoleMemory, item: Item): RoleMemory {
  const sk = String(item[TABLE.sk]);
  if (sk === CONTROL) return { ...memory, control: Control.parse(item) };
  const [complexity, tier] = sk.slice(WINDOW.length).split('#');
  const window = LearnedOutcome.array().parse(item['outcomes']);
  return {
    ...memory,
    windows: [
      ...memory.windows,
      { complexity: Complexity.parse(complexity), tier: Tier.parse(tier), window },
    ],
  };
}
