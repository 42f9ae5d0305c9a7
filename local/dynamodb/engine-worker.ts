import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { type FromEngine, STOP_ENGINE } from '../engine.ts';
import { type Dynalite, openDynalite } from './dynalite-parts.ts';
import type { EngineAnswer, EngineCall } from './engine-client.ts';

/** The thread of dynalite. Its data: where the tables are kept. */
export interface DynamoEngineData {
  readonly directory: string;
}

interface Level {
  open(): Promise<void>;
}

const { directory } = workerData as DynamoEngineData;

/** Dynalite says only that its database is not open. Opening it once more says why. */
async function whyUnreadable(error: unknown): Promise<never> {
  const { Level } = createRequire(createRequire(import.meta.url).resolve('dynalite'))('level') as {
    readonly Level: new (path: string) => Level;
  };
  const found: unknown = await new Level(directory).open().then(
    () => error,
    (failed: unknown) => (failed instanceof Error ? (failed.cause ?? failed) : failed),
  );
  const reason = found instanceof Error ? found.message : String(found);
  throw new Error(`the tables in ${directory} cannot be read: ${reason}. Nothing was changed.`);
}

const post = (message: FromEngine): void => parentPort?.postMessage(message);

/** The database opens with the first request, and an error of it is thrown where nobody waits for it. */
function firstRequest(dynalite: Dynalite): void {
  const fail = (error: unknown): void => void whyUnreadable(error);
  process.once('uncaughtException', fail);
  dynalite.call('ListTables', {}, () => {
    process.off('uncaughtException', fail);
    post({ port: null });
  });
}

const engine = openDynalite(directory);
firstRequest(engine);
parentPort?.on('message', (message: EngineCall | typeof STOP_ENGINE) => {
  if (message === STOP_ENGINE) return engine.close(() => parentPort?.close());
  const { id, operation, text } = message;
  // As over a wire: nothing that JSON does not know comes through.
  engine.call(operation, JSON.parse(text), ({ status, body }) => {
    const answer: EngineAnswer = { id, status, text: JSON.stringify(body) };
    post({ message: answer });
  });
});
