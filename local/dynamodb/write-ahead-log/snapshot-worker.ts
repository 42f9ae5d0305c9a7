import { parentPort, workerData } from 'node:worker_threads';
import { type SnapshotRequest, writeSnapshot } from './snapshot.ts';

/** The thread that writes one snapshot; its end says that the snapshot is there. */
writeSnapshot(workerData as SnapshotRequest);
parentPort?.postMessage('written');
