import { Worker } from 'node:worker_threads';
import type { FileSearchResult } from './search-file.ts';

/** Longest time for one regular expression on one file. */
export const REGEX_TIMEOUT_MS = 30_000;

/** Most memory of the thread, in MiB: states of an expression are kept while it is matched. */
const MAX_MIB = 512;

/** The thread's program: a source here, in the box a bundle that lies beside ours. */
const PROGRAM = new URL(
  import.meta.filename.endsWith('.ts') ? './regex-search-worker.ts' : './matcher.mjs',
  import.meta.url,
);

export interface RegexSearchRequest {
  readonly path: string;
  readonly regex: string;
}
export type RegexSearchReply = { readonly search: FileSearchResult } | { readonly problem: string };

/**
 * Matches a regular expression anywhere in a file, in a thread that is ended when it takes too long: RE2 is linear in the file, but
 * at thousands of steps for each character. Rejects when the file or the expression cannot be read.
 */
export async function searchRegexInWorker(
  path: string,
  regex: string,
  timeoutMs = REGEX_TIMEOUT_MS,
): Promise<FileSearchResult | 'timed_out'> {
  const worker = new Worker(PROGRAM, {
    workerData: { path, regex } satisfies RegexSearchRequest,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MIB },
    // Nothing of ours is for it: no token, no assignment.
    env: {},
    execArgv: [],
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    const matched = await new Promise<RegexSearchReply | 'timed_out'>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', (code) => reject(new Error(`the matching thread ended with ${code}`)));
      // A slow start is the machine's, and not the expression's.
      worker.once('online', () => {
        timer = setTimeout(() => resolve('timed_out'), timeoutMs);
      });
    });
    if (matched === 'timed_out') return matched;
    if ('problem' in matched) throw new Error(matched.problem);
    return matched.search;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
