import { join } from 'node:path';
import { startEngine } from '../engine.ts';
import { awsJsonClient } from '../http/aws-json.ts';
import type { Counters, ResolvedResource, Running } from '../ports.ts';
import { ACCOUNT_ID, REGION } from '../template/identity.ts';
import type { DynamoEngineData } from './engine-worker.ts';
import { type Journal, openJournal } from './journal.ts';
import { createTables, type TableSpec, tableSpecs } from './tables.ts';
import { startTap } from './tap.ts';
import { startTimeToLive } from './time-to-live.ts';
import { createWriter } from './writer.ts';

export interface DynamoOptions {
  /** Holds the tables and the journal; survives a kill. */
  readonly dataDir: string;
  readonly resources: readonly ResolvedResource[];
  readonly counters: Counters;
  /** Tried first, so that the endpoint stays the same after a restart. */
  readonly port?: number;
  onFailure(error: Error): void;
  onError(message: string): void;
}

export interface Dynamo extends Running {
  /** Endpoint for SDK clients. */
  readonly endpoint: string;
  readonly port: number;
  readonly tables: readonly TableSpec[];
  readonly journal: Journal;
  /** Removes expired items now. */
  sweep(): Promise<void>;
}

export const DYNAMODB_TARGET = 'DynamoDB_20120810';

/** Starts DynamoDB: the engine, the tables of the template, and the tap in front. Interrupted writes are ended first. */
export async function startDynamo(options: DynamoOptions): Promise<Dynamo> {
  const { dataDir, counters, onFailure, onError } = options;
  const data: DynamoEngineData = { directory: join(dataDir, 'dynamodb') };
  const engine = await startEngine({
    name: 'DynamoDB',
    script: new URL('./engine-worker.ts', import.meta.url),
    data,
    env: { AWS_REGION: REGION, AWS_ACCOUNT_ID: ACCOUNT_ID },
    onFailure,
  });
  const client = awsJsonClient(engine.endpoint, DYNAMODB_TARGET);
  const journal = openJournal(join(dataDir, 'stream'));
  const tables = tableSpecs(options.resources);
  const writer = createWriter({ engine: client, journal, counters });
  await createTables(client, tables);
  await writer.recover(tables);
  const port = options.port ?? 0;
  const tap = await startTap({ engine: client, writer, tables, counters, port });
  const timeToLive = startTimeToLive({ engine: client, writer, tables, onError });
  return {
    endpoint: tap.url,
    port: tap.port,
    tables,
    journal,
    sweep: () => timeToLive.sweep(),
    async stop() {
      await timeToLive.stop();
      await tap.stop();
      await writer.idle();
      client.close();
      await engine.stop();
      journal.close();
    },
  };
}
