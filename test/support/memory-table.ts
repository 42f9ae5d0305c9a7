import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';

type Item = Record<string, unknown>;
type Condition = Pick<
  NonNullable<PutCommand['input']>,
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/** Does one of the alternatives hold, in all its parts? Knows the conditions that the stores use. */
function holds(present: Item | undefined, condition: Condition): boolean {
  if (condition.ConditionExpression === undefined) return true;
  const attribute = (name = ''): unknown => present?.[condition.ExpressionAttributeNames?.[name] ?? ''];
  const value = (name = ''): unknown => condition.ExpressionAttributeValues?.[name];
  const part = (text: string): boolean => {
    const absent = /^attribute_not_exists\((#\w+)\)$/.exec(text);
    if (absent) return attribute(absent[1]) === undefined;
    const [, among, names] = /^(#\w+) IN \((.+)\)$/.exec(text) ?? [];
    if (names !== undefined) return names.split(', ').some((name) => value(name) === attribute(among));
    const [, name, operator, other] = /^(#\w+) (=|<) (:\w+)$/.exec(text) ?? [];
    if (operator === undefined) throw new Error(`unknown condition: ${text}`);
    const [left, right] = [attribute(name), value(other)];
    return operator === '=' ? left === right : Number(left) < Number(right);
  };
  return condition.ConditionExpression.split(' OR ').some((each) => each.split(' AND ').every(part));
}

/** Items in memory, for tests that choose when each request is carried out. */
export class MemoryTable {
  readonly #items = new Map<string, Item>();

  carryOut(command: unknown): unknown {
    if (command instanceof QueryCommand) {
      const pk = command.input.ExpressionAttributeValues?.[':pk'];
      return { Items: this.items.filter((item) => item['pk'] === pk) };
    }
    if (command instanceof GetCommand) return { Item: this.#items.get(JSON.stringify(command.input.Key)) };
    if (!(command instanceof PutCommand || command instanceof DeleteCommand))
      throw new Error('the table in memory does not know this request');
    const { pk, sk } = (command instanceof PutCommand ? command.input.Item : command.input.Key) as Item;
    const name = JSON.stringify({ pk, sk });
    if (!holds(this.#items.get(name), command.input))
      throw new ConditionalCheckFailedException({ message: 'no', $metadata: {} });
    if (command instanceof PutCommand) this.#items.set(name, { ...command.input.Item });
    else this.#items.delete(name);
    return {};
  }

  get items(): Item[] {
    return [...this.#items.values()];
  }
}
