import { request } from 'node:http';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import dynalite from 'dynalite';
import type { FromEngine } from '../engine.ts';
import { keepConnections, LOOPBACK, portOf } from '../http/listen.ts';

/** The thread of dynalite. Its data: where the tables are kept. */
export interface DynamoEngineData {
  readonly directory: string;
}

interface Level {
  open(): Promise<void>;
}

const { directory } = workerData as DynamoEngineData;
const server = dynalite({ path: directory, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });

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

/** The database opens with the first request, and an error of it is thrown where nobody waits for it. */
function firstRequest(port: number): void {
  const fail = (error: unknown): void => void whyUnreadable(error);
  process.once('uncaughtException', fail);
  const headers = {
    'x-amz-target': 'DynamoDB_20120810.ListTables',
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-date': '20200101T000000Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=embedded/20200101/us-east-1/service/aws4_request, SignedHeaders=host, Signature=none',
  };
  const first = request(
    { host: LOOPBACK, port, method: 'POST', path: '/', headers, agent: false },
    (answer) => {
      answer.resume().once('end', () => {
        process.off('uncaughtException', fail);
        const message: FromEngine = { port };
        parentPort?.postMessage(message);
      });
    },
  );
  // It ends without an answer when the error is thrown.
  first.once('error', () => {});
  first.end('{}');
}

keepConnections(server);
server.listen(0, LOOPBACK, () => firstRequest(portOf(server)));
parentPort?.on('message', () => {
  server.close(() => parentPort?.close());
  server.closeAllConnections();
});
