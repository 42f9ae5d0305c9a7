import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a thread on a module of ours, with what was compiled before. A thread that Node is given a `.ts` file for strips the types
 * of it anew, and loads 20 MB for that: a third of what it takes to start a function.
 * @param cache folder for compiled code; null: nothing is kept.
 */
export function startWorkerThread(script: URL, cache: string | null, options: WorkerOptions): Worker {
  const prepare =
    cache === null ? '' : `require('node:module').enableCompileCache(${JSON.stringify(cache)});`;
  return new Worker(`${prepare}import(${JSON.stringify(script.href)})`, { ...options, eval: true });
}
