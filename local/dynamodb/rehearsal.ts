import type { AwsJsonClient } from '../http/aws-json.ts';
import { isRecord, type Json } from '../properties.ts';
import { itemBytes } from './capacity.ts';
import type { Image } from './image.ts';
import type { Intent } from './journal.ts';
import { hasWildNumber, ITEM_BYTES, refuseDepth, refuseItem } from './limits.ts';
import { createTable, type TableSpec } from './tables.ts';

/** Says of an update what DynamoDB would say to the item that it makes. */
export interface Rehearsal {
  /** Null: the update may be made. The key must be locked. */
  refuse(table: TableSpec, intent: Intent): Promise<string | null>;
}

const TOO_LARGE = 'Item size to update has exceeded the maximum allowed size';

/**
 * What an update makes of an item, only the engine can tell, and it measures it in characters. So where an update could go too far,
 * it is made on a copy of the item first, in a table that has nothing else in it.
 */
export function createRehearsal(engine: AwsJsonClient): Rehearsal {
  const stages = new Map<string, Promise<string>>();

  async function build(table: TableSpec): Promise<string> {
    const name = `${table.name}.rehearsal`;
    const definitions = table.create['AttributeDefinitions'];
    const ofKeys = (Array.isArray(definitions) ? definitions : [])
      .filter(isRecord)
      .filter(({ AttributeName }) => table.keyNames.includes(String(AttributeName)));
    await createTable(engine, {
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ofKeys,
      KeySchema: table.create['KeySchema'],
    });
    return name;
  }

  function stage(table: TableSpec): Promise<string> {
    const known = stages.get(table.name) ?? build(table);
    stages.set(table.name, known);
    known.catch(() => stages.delete(table.name));
    return known;
  }

  async function rehearse(table: TableSpec, { request, key, old }: Intent): Promise<Image | null> {
    const TableName = await stage(table);
    const { ReturnValuesOnConditionCheckFailure: _, ...rest } = request;
    if (old !== null) await engine.expect('PutItem', { TableName, Item: old });
    const { status, body } = await engine.call('UpdateItem', { ...rest, TableName, ReturnValues: 'ALL_NEW' });
    await engine.expect('DeleteItem', { TableName, Key: key });
    // What the engine refuses here it refuses there, too, in its own words.
    return status < 400 && isRecord(body['Attributes']) ? body['Attributes'] : null;
  }

  return {
    async refuse(table, intent) {
      const values = isRecord(intent.request['ExpressionAttributeValues'])
        ? intent.request['ExpressionAttributeValues']
        : {};
      const deep = refuseDepth(values);
      if (deep !== null) return deep;
      if (!couldGoTooFar(table, intent, values)) return null;
      const item = await rehearse(table, intent);
      return item === null ? null : refuseItem(table, item, TOO_LARGE);
    },
  };
}

/** Errs on the side of a rehearsal. */
function couldGoTooFar(table: TableSpec, { request, old }: Intent, values: Json): boolean {
  const expression = String(request['UpdateExpression'] ?? '');
  const names = Object.values(
    isRecord(request['ExpressionAttributeNames']) ? request['ExpressionAttributeNames'] : {},
  );
  if (mostBytes(expression, values, names, old, request['AttributeUpdates']) > ITEM_BYTES) return true;
  if (hasWildNumber(values) || hasWildNumber(old) || hasWildNumber(request['AttributeUpdates'])) return true;
  const keys = table.indexes.flatMap(({ keyNames }) => keyNames);
  const isOdd = (value: unknown) => {
    const text = isRecord(value) ? value['S'] : undefined;
    return typeof text === 'string' && (text === '' || text.length > 340);
  };
  return (
    Object.values(values).some(isOdd) && keys.some((key) => names.includes(key) || expression.includes(key))
  );
}

/** More bytes than an update can make of an item: all that is there, once more for each path that is copied, and every value as often as it is named. */
function mostBytes(
  expression: string,
  values: Json,
  names: readonly unknown[],
  old: Image | null,
  updates: unknown,
): number {
  const copied = expression
    .replaceAll(/[#\w.[\]]+\s*=/g, ' ')
    .replaceAll(/:\w+/g, ' ')
    .match(/[#A-Za-z_][#\w.[\]]*(?!\w*\s*\()/g);
  const before = old === null ? 0 : itemBytes(old);
  const given = Object.entries(values).reduce((sum, [name, value]) => {
    const times = expression.split(name).length - 1;
    return sum + times * itemBytes({ [name]: value });
  }, 0);
  const spelled = Buffer.byteLength(expression) + Buffer.byteLength(names.join(''));
  const legacy = updates === undefined ? 0 : Buffer.byteLength(JSON.stringify(updates));
  return before * (1 + (copied?.length ?? 0)) + given + spelled + legacy;
}
