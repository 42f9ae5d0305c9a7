import type { AwsJsonClient } from '../http/aws-json.ts';
import { isRecord, type UnknownRecord } from '../resource-properties.ts';
import { itemBytes } from './capacity.ts';
import type { ItemImage } from './item-image.ts';
import { checkItemLimits, checkNestingDepth, hasExtremeNumber, MAX_ITEM_BYTES } from './item-limits.ts';
import type { ItemWrite } from './item-write.ts';
import { createTable, type TableSpec } from './tables.ts';

/** Applies DynamoDB's limits to the item that an update makes. */
export interface UpdateLimitCheck {
  /** Returns DynamoDB's message, or null if the update may be made. The key must be locked. */
  refusal(write: ItemWrite): Promise<string | null>;
}

const TOO_LARGE = 'Item size to update has exceeded the maximum allowed size';

/**
 * Only the engine can tell what item an update makes, and it measures that in characters. So an update that
 * could exceed a limit is made on a copy of the item first, in a table of its own.
 */
export function createUpdateLimitCheck(engine: AwsJsonClient): UpdateLimitCheck {
  const copies = new Map<string, Promise<string>>();

  async function createCopyTable(table: TableSpec): Promise<string> {
    const name = `${table.name}.dry-run`;
    const definitions = table.create['AttributeDefinitions'];
    const keyDefinitions = (Array.isArray(definitions) ? definitions : [])
      .filter(isRecord)
      .filter(({ AttributeName }) => table.keyNames.includes(String(AttributeName)));
    await createTable(engine, {
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: keyDefinitions,
      KeySchema: table.create['KeySchema'],
    });
    return name;
  }

  function copyTable(table: TableSpec): Promise<string> {
    const known = copies.get(table.name) ?? createCopyTable(table);
    copies.set(table.name, known);
    known.catch(() => copies.delete(table.name));
    return known;
  }

  async function updateCopy({ table, request, key, old }: ItemWrite): Promise<ItemImage | null> {
    const TableName = await copyTable(table);
    const { ReturnValuesOnConditionCheckFailure: _, ...rest } = request;
    if (old !== null) await engine.callOrThrow('PutItem', { TableName, Item: old });
    const { status, body } = await engine.call('UpdateItem', { ...rest, TableName, ReturnValues: 'ALL_NEW' });
    await engine.callOrThrow('DeleteItem', { TableName, Key: key });
    // The engine refuses the real update with the same message.
    return status < 400 && isRecord(body['Attributes']) ? body['Attributes'] : null;
  }

  return {
    async refusal(write) {
      const values = isRecord(write.request['ExpressionAttributeValues'])
        ? write.request['ExpressionAttributeValues']
        : {};
      const tooDeep = checkNestingDepth(values);
      if (tooDeep !== null) return tooDeep;
      if (!couldExceedLimit(write, values)) return null;
      const item = await updateCopy(write);
      return item === null ? null : checkItemLimits(write.table, item, TOO_LARGE);
    },
  };
}

/** In doubt it answers true: a dry run changes nothing. */
function couldExceedLimit({ table, request, old }: ItemWrite, values: UnknownRecord): boolean {
  const expression = String(request['UpdateExpression'] ?? '');
  const names = Object.values(
    isRecord(request['ExpressionAttributeNames']) ? request['ExpressionAttributeNames'] : {},
  );
  if (maxBytesAfter(expression, values, names, old, request['AttributeUpdates']) > MAX_ITEM_BYTES)
    return true;
  if (hasExtremeNumber(values) || hasExtremeNumber(old) || hasExtremeNumber(request['AttributeUpdates']))
    return true;
  const keys = table.indexes.flatMap(({ keyNames }) => keyNames);
  const isOdd = (value: unknown) => {
    const text = isRecord(value) ? value['S'] : undefined;
    return typeof text === 'string' && (text === '' || text.length > 340);
  };
  return (
    Object.values(values).some(isOdd) && keys.some((key) => names.includes(key) || expression.includes(key))
  );
}

/**
 * An upper bound for the bytes of an item after an update: the item, once more for each path that is copied,
 * and every value as often as the expression names it.
 */
function maxBytesAfter(
  expression: string,
  values: UnknownRecord,
  names: readonly unknown[],
  old: ItemImage | null,
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
