import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ITEM_PREFIX } from '../contract/names.ts';
import { Evolution, NO_EVOLUTION } from '../control/tune/schema.ts';
import { keyOf, RevisedItems } from './revised-items.ts';

const KEY = keyOf(ITEM_PREFIX.evolution, 'settings');

/** What the deployment has changed of its own settings, and what it proposes: one item, so that one conditional write changes all of it. */
export class EvolutionStore {
  readonly #items: RevisedItems;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#items = new RevisedItems(db, table);
  }

  async settings(): Promise<Evolution> {
    const item = await this.#items.get(KEY);
    return item ? Evolution.parse(item) : NO_EVOLUTION;
  }

  /** Changes it under the condition that it is as it was read. `change` answers null where there is nothing to change, and may be asked again. */
  evolveSettings(change: (state: Evolution) => Evolution | null): Promise<Evolution> {
    return this.#items.revise(KEY, 'the settings of the deployment', (item) => {
      const present = item ? Evolution.parse(item) : NO_EVOLUTION;
      const next = change(present);
      return { fields: next && { ...next }, result: next ?? present };
    });
  }
}
