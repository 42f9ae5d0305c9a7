import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a worker thread on a TypeScript module, with the compile cache of Node. Given the `.ts` file itself,
 * Node would strip its types at each start and load 20 MB for that, a third of the time in which a function
 * starts.
 * @param cache folder of the compile cache; null: none.
 */
export function startWorkerThread(script: URL, cache: string | null, options: WorkerOptions): Worker {
  const prepare =
    cache === null ? '' : `require('node:module').enableCompileCache(${JSON.stringify(cache)});`;
  return new Worker(`${prepare}import(${JSON.stringify(script.href)})`, { ...options, eval: true });
}
