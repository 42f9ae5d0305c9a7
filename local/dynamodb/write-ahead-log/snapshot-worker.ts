import { parentPort, workerData } from 'node:worker_threads';
import { type SnapshotRequest, writeSnapshot } from './snapshot.ts';

/** The thread that writes one snapshot, and posts a message when it is complete. */
writeSnapshot(workerData as SnapshotRequest);
parentPort?.postMessage('written');
