import { join } from 'node:path';
import { FILE_CALLS, type FileCalls } from '../durable.ts';
import { type EngineThread, elsewhere, startEngine } from '../engine.ts';
import { type AwsJsonClient, awsJsonClient } from '../http/aws-json.ts';
import type { Counters, ResolvedResource, Running } from '../ports.ts';
import { ACCOUNT_ID, REGION } from '../template/identity.ts';
import { type EngineAnswer, engineClient } from './engine-client.ts';
import type { DynamoEngineData } from './engine-worker.ts';
import { openExpiries } from './expiries.ts';
import { type Journal, openJournal } from './journal.ts';
import { damageOf } from './level-files.ts';
import { createRehearsal } from './rehearsal.ts';
import { restore } from './restore.ts';
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
  /** Endpoint of another engine, to be used in place of the embedded one. */
  readonly engine?: string | undefined;
  /** In place of those of the system. */
  readonly calls?: FileCalls;
  onFailure(error: Error): void;
  onError(message: string): void;
}

const GO_ON = 'Make room on the disk and start again on the same folder: work goes on where it was.';

export interface Dynamo extends Running {
  /** Endpoint for SDK clients. */
  readonly endpoint: string;
  readonly port: number;
  readonly tables: readonly TableSpec[];
  readonly journal: Journal;
  /** Removes expired items now. Answers how many items were looked at for that. */
  sweep(): Promise<number>;
}

export const DYNAMODB_TARGET = 'DynamoDB_20120810';

/** Starts DynamoDB: the engine, the tables of the template, and the tap in front. Interrupted writes are ended first. */
export async function startDynamo(options: DynamoOptions): Promise<Dynamo> {
  const engine =
    options.engine === undefined ? await startDynalite(options) : engineElsewhere(options.engine);
  try {
    return await startTapped(options, engine);
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

/** The engine, and how it is called. */
interface CalledEngine extends Running {
  readonly client: AwsJsonClient;
}

function engineElsewhere(url: string): CalledEngine {
  const { endpoint, stop } = elsewhere(url);
  return { client: awsJsonClient(endpoint, DYNAMODB_TARGET), stop };
}

async function startDynalite({ dataDir, onFailure }: DynamoOptions): Promise<CalledEngine> {
  const data: DynamoEngineData = { directory: join(dataDir, 'dynamodb') };
  const damage = damageOf(data.directory);
  if (damage !== null)
    throw new Error(
      `${damage}: no kill does that. Nothing was changed. Bring the folder back from a copy, all of it at once.`,
    );
  // It is called only once it is there.
  let thread: EngineThread | null = null;
  const client = engineClient((call) => thread?.post(call));
  thread = await startEngine({
    name: 'DynamoDB',
    script: new URL('./engine-worker.ts', import.meta.url),
    data,
    env: { AWS_REGION: REGION, AWS_ACCOUNT_ID: ACCOUNT_ID },
    onFailure,
    onMessage: (message) => client.answered(message as EngineAnswer),
  });
  return { client, stop: thread.stop };
}

async function startTapped(options: DynamoOptions, engine: CalledEngine): Promise<Dynamo> {
  const { dataDir, counters, onError, onFailure, port = 0 } = options;
  const { client } = engine;
  const tables = tableSpecs(options.resources);
  await createTables(client, tables);
  const journal = openJournal(join(dataDir, 'stream'), {
    calls: options.calls ?? FILE_CALLS,
    notice: onError,
    // What was begun may be half done, and only the next start can tell: so nothing goes on.
    onBroken: (error) =>
      onFailure(
        new Error(`${error.message}. Nothing that was acknowledged is lost. ${GO_ON}`, { cause: error }),
      ),
  });
  const rehearsal = options.engine === undefined ? createRehearsal(client) : null;
  const expiries = await openExpiries(client, tables);
  const writer = createWriter({ engine: client, journal, counters, rehearsal, expiries });
  await restore({ engine: client, journal, tables, notice: onError });
  await writer.recover(tables);
  const tap = await startTap({ engine: client, writer, tables, counters, port });
  const timeToLive = startTimeToLive({ expiries, writer, tables, onError });
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
