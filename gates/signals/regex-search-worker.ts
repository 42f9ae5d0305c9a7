/** The program of a thread: matches one regular expression and says what came of it. */
import { parentPort, workerData } from 'node:worker_threads';
import { searchRegex } from './search-file.ts';
import type { RegexSearchReply, RegexSearchRequest } from './search-regex-in-worker.ts';

const { path, regex } = workerData as RegexSearchRequest;
const answer = await searchRegex(path, regex).then(
  (search): RegexSearchReply => ({ search }),
  (error: unknown): RegexSearchReply => ({ problem: error instanceof Error ? error.message : String(error) }),
);
parentPort?.postMessage(answer);
