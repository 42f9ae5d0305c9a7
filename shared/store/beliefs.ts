import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { NO_MEMORY, type RoleMemory } from '../cascade/learning/belief.ts';
import { Control, NO_CONTROL } from '../cascade/learning/control.ts';
import { LearnedOutcome, type Observed } from '../cascade/learning/outcome.ts';
import { observe } from '../cascade/learning/window.ts';
import { Tier } from '../cascade/tiers.ts';
import { ITEM_PREFIX, TABLE } from '../names.ts';
import { Refusal } from '../refusal.ts';
import { Complexity } from '../task/schema.ts';

const MAX_RACES = 50;
const WINDOW = 'window#';
const CONTROL = 'control';

type Item = Record<string, unknown>;
const partition = (role: string): string => `${ITEM_PREFIX.belief}${role}`;

/**
 * What is learned of roles: an item for each role, complexity and tier with the latest outcomes, and one for a person's word. Each is
 * written under the condition that it is as it was read.
 */
export class BeliefStore {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;

  constructor(db: DynamoDBDocumentClient, table: string) {
    this.#db = db;
    this.#table = table;
  }

  async #get(role: string, sk: string): Promise<Item | null> {
    const Key = { [TABLE.pk]: partition(role), [TABLE.sk]: sk };
    const { Item } = await this.#db.send(
      new GetCommand({ TableName: this.#table, Key, ConsistentRead: true }),
    );
    return Item ?? null;
  }

  /** False when the item has moved on from `revision`. */
  async #put(role: string, sk: string, revision: number, fields: Item): Promise<boolean> {
    try {
      await this.#db.send(
        new PutCommand({
          TableName: this.#table,
          Item: { ...fields, [TABLE.pk]: partition(role), [TABLE.sk]: sk, revision: revision + 1 },
          ConditionExpression: 'attribute_not_exists(#revision) OR #revision = :revision',
          ExpressionAttributeNames: { '#revision': 'revision' },
          ExpressionAttributeValues: { ':revision': revision },
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  /** Remembers an outcome, once however often it comes. */
  async observe({ role, complexity, tier, outcome }: Observed): Promise<void> {
    const sk = `${WINDOW}${complexity}#${tier}`;
    for (let race = 0; race < MAX_RACES; race++) {
      const item = await this.#get(role, sk);
      const window = observe(LearnedOutcome.array().parse(item?.['outcomes'] ?? []), outcome);
      if (window === null) return;
      if (await this.#put(role, sk, Number(item?.['revision'] ?? 0), { outcomes: window })) return;
    }
    throw new Refusal('busy', `what is learned of role ${role} changes too fast; try again`);
  }

  /** All that is remembered of a role. It may be some moments old: a choice needs no more. */
  async read(role: string): Promise<RoleMemory> {
    let memory = NO_MEMORY;
    let after: Item | undefined;
    do {
      const answer = await this.#db.send(
        new QueryCommand({
          TableName: this.#table,
          KeyConditionExpression: '#pk = :pk',
          ExpressionAttributeNames: { '#pk': TABLE.pk },
          ExpressionAttributeValues: { ':pk': partition(role) },
          ...(after ? { ExclusiveStartKey: after } : {}),
        }),
      );
      for (const item of answer.Items ?? []) memory = withItem(memory, item);
      after = answer.LastEvaluatedKey;
    } while (after);
    return memory;
  }

  /** Changes a person's word on a role; `change` answers null where there is nothing to change. */
  async control(role: string, change: (control: Control) => Control | null): Promise<Control> {
    for (let race = 0; race < MAX_RACES; race++) {
      const item = await this.#get(role, CONTROL);
      const present = item ? Control.parse(item) : NO_CONTROL;
      const next = change(present);
      if (next === null) return present;
      if (await this.#put(role, CONTROL, present.revision, next)) return next;
    }
    throw new Refusal('busy', `the word on role ${role} changes too fast; try again`);
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
