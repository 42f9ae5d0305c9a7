import { parentPort, workerData } from 'node:worker_threads';
import dynalite from 'dynalite';
import type { FromEngine } from '../engine.ts';
import { keepConnections, LOOPBACK, portOf } from '../http/listen.ts';

/** The thread of dynalite. Its data: where the tables are kept. */
export interface DynamoEngineData {
  readonly directory: string;
}

const { directory } = workerData as DynamoEngineData;
const server = dynalite({ path: directory, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
keepConnections(server);
server.listen(0, LOOPBACK, () => {
  const message: FromEngine = { port: portOf(server) };
  parentPort?.postMessage(message);
});
parentPort?.on('message', () => {
  server.close(() => parentPort?.close());
  server.closeAllConnections();
});
