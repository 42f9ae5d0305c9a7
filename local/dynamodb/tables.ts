import type { AwsJsonClient } from '../http/aws-json.ts';
import {
  createPropertyReader,
  createResourcePropertyReader,
  isRecord,
  type PropertyReader,
  type UnknownRecord,
} from '../resource-properties.ts';
import type { ResolvedResource } from '../shared-types.ts';
import { streamArn } from '../template/identity.ts';
import type { IndexSpec } from './capacity.ts';

export type TableStreamViewType = 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';

/** A table of the template. */
export interface TableSpec {
  readonly name: string;
  readonly keyNames: readonly string[];
  readonly indexes: readonly IndexSpec[];
  readonly stream: { readonly arn: string; readonly viewType: TableStreamViewType } | null;
  /** Attribute with the time, in seconds since 1970, after which an item may be removed. */
  readonly ttlAttribute: string | null;
  /** The CreateTable request. */
  readonly create: Readonly<Record<string, unknown>>;
}

const VIEW_TYPES: readonly TableStreamViewType[] = [
  'KEYS_ONLY',
  'NEW_IMAGE',
  'OLD_IMAGE',
  'NEW_AND_OLD_IMAGES',
];

const keyNames = (holder: PropertyReader): readonly string[] =>
  holder.records('KeySchema').map((part) => part.text('AttributeName'));

function indexSpec(index: PropertyReader): IndexSpec {
  const projection = index.record('Projection');
  const others = projection.list('NonKeyAttributes').map(String);
  return {
    name: index.text('IndexName'),
    keyNames: keyNames(index),
    projected: projection.text('ProjectionType') === 'ALL' ? null : others,
  };
}

/** Reads the tables of the template. */
export const readTableSpecs = (resources: readonly ResolvedResource[]): readonly TableSpec[] =>
  resources.filter(({ type }) => /^AWS::DynamoDB::(Global)?Table$/.test(type)).map(tableSpec);

function tableSpec(resource: ResolvedResource): TableSpec {
  const table = createResourcePropertyReader(resource);
  const name = table.text('TableName');
  const ttl = table.record('TimeToLiveSpecification');
  const stream = table.record('StreamSpecification');
  const viewType = VIEW_TYPES.find((candidate) => candidate === stream.values['StreamViewType']);
  if (stream.has('StreamViewType') && viewType === undefined) {
    throw new Error(`${stream.where}: no such StreamViewType`);
  }
  const indexes = table.records('GlobalSecondaryIndexes');
  return {
    name,
    keyNames: keyNames(table),
    indexes: [...indexes, ...table.records('LocalSecondaryIndexes')].map(indexSpec),
    stream: viewType === undefined ? null : { arn: streamArn(name), viewType },
    ttlAttribute: ttl.flag('Enabled', false) ? ttl.text('AttributeName') : null,
    create: {
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: table.list('AttributeDefinitions'),
      KeySchema: table.list('KeySchema'),
      ...(indexes.length === 0
        ? {}
        : {
            GlobalSecondaryIndexes: indexes.map(({ values }) => ({
              IndexName: values['IndexName'],
              KeySchema: values['KeySchema'],
              Projection: values['Projection'],
            })),
          }),
      ...(table.has('LocalSecondaryIndexes')
        ? { LocalSecondaryIndexes: table.list('LocalSecondaryIndexes') }
        : {}),
    },
  };
}

/** Milliseconds between two looks whether a table is ready, and their number. */
const READY_PAUSE_MS = 5;
const READY_TRIES = 1_000;

/**
 * Creates the missing tables and waits until all are active. @throws Error if a table exists with other keys
 * or indexes.
 */
export async function createTables(engine: AwsJsonClient, tables: readonly TableSpec[]): Promise<void> {
  const { TableNames: existing } = await engine.callOrThrow('ListTables', {});
  for (const table of tables) {
    const isNew = !(Array.isArray(existing) && existing.includes(table.name));
    if (isNew) await engine.callOrThrow('CreateTable', table.create);
    const found = await ready(engine, table.name);
    if (shape(found) !== shape(table.create)) {
      throw new Error(`table ${table.name} was made with other keys or indexes: use another data directory`);
    }
  }
}

/** Creates a table that is not in the template, unless it exists, and waits until it is active. */
export async function createTable(engine: AwsJsonClient, request: UnknownRecord): Promise<void> {
  const name = String(request['TableName']);
  const { TableNames: existing } = await engine.callOrThrow('ListTables', {});
  if (!(Array.isArray(existing) && existing.includes(name))) await engine.callOrThrow('CreateTable', request);
  await ready(engine, name);
}

/** Waits until a table is active and returns its description. */
async function ready(engine: AwsJsonClient, name: string): Promise<UnknownRecord> {
  for (let tries = 0; tries < READY_TRIES; tries += 1) {
    const { Table: found } = await engine.callOrThrow('DescribeTable', { TableName: name });
    if (isRecord(found) && found['TableStatus'] === 'ACTIVE') return found;
    await new Promise((resolve) => setTimeout(resolve, READY_PAUSE_MS));
  }
  // Nothing was written yet, because that waits for the table to be active.
  throw new Error(`table ${name} was not finished when the stack was killed: use another data directory`);
}

/** Returns one text for the keys and indexes of a table, in whatever order the engine describes them. */
function shape(description: Readonly<UnknownRecord>): string {
  const table = createPropertyReader('table', description);
  const indexes = table.records('GlobalSecondaryIndexes').map((index) => {
    const { name, keyNames, projected } = indexSpec(index);
    return JSON.stringify([name, keyNames, projected === null ? 'all' : projected.toSorted()]);
  });
  return JSON.stringify([keyNames(table), indexes.toSorted()]);
}
