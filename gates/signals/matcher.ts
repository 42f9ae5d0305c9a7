/** The program of a thread: matches one regular expression and says what came of it. */
import { parentPort, workerData } from 'node:worker_threads';
import { containsRegex } from './contains.ts';
import type { Match, Matched } from './match.ts';

const { path, regex } = workerData as Match;
const answer = await containsRegex(path, regex).then(
  (search): Matched => ({ search }),
  (error: unknown): Matched => ({ problem: error instanceof Error ? error.message : String(error) }),
);
parentPort?.postMessage(answer);
