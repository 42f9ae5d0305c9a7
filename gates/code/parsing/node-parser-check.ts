import { Worker } from 'node:worker_threads';
import type { Grammar } from '../../core/language.ts';

/** Longest time for one file. */
const TIMEOUT_MS = 5_000;

/** In a thread of its own: the parser inside Node gives up for good, for the whole thread, on code that is nested too deeply. */
const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { stripTypeScriptTypes } = require('node:module');
  process.removeAllListeners('warning');
  let valid = true;
  try { stripTypeScriptTypes(workerData, { mode: 'transform' }); } catch { valid = false; }
  parentPort.postMessage(valid);
`;

/**
 * Asks another parser, the one that Node has for TypeScript, about code in which ours found an error. A grammar does not know
 * every corner of a language that changes each year, and honest code must not be taken for broken.
 * @returns true only when the code is known to be valid; JSX and other languages are not known.
 */
export function isValidForNodeParser(grammar: Grammar, source: string): Promise<boolean> {
  if (grammar !== 'typescript' && grammar !== 'javascript') return Promise.resolve(false);
  return new Promise((resolve) => {
    const worker = new Worker(PROGRAM, {
      eval: true,
      workerData: source,
      stdout: true,
      stderr: true,
      execArgv: [],
    });
    const timer = setTimeout(() => end(false), TIMEOUT_MS);
    const end = (valid: boolean): void => {
      clearTimeout(timer);
      void worker.terminate();
      resolve(valid);
    };
    worker.once('message', (valid) => end(valid === true));
    worker.once('error', () => end(false));
    worker.once('exit', () => end(false));
  });
}
