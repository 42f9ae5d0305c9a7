import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, Script } from 'node:vm';
import { threadId } from 'node:worker_threads';

/** Dynamic imports of a bundle are resolved by Node's own loader. */
const IMPORTS = { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };

/**
 * Node prints an experimental warning once per thread, at the first import of a script, which would appear as
 * output of a function. So the first import is made here, with warnings off.
 */
function importOnceQuietly(): void {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    new Script("import('node:module')", IMPORTS).runInThisContext();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** A bundle as a function of the globals that it gets. */
export type CompiledBundleFunction = (...around: readonly unknown[]) => void;

interface CompiledBundle {
  readonly run: CompiledBundleFunction;
  /**
   * Stores V8's code cache of what is compiled by now. Does nothing if the cache existed, or after the
   * maximum number of calls.
   */
  storeCache(): void;
}

const compiled = new Map<string, CompiledBundle>();
importOnceQuietly();

function read(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/**
 * Compiles a bundle, once per thread, with the code cache of an earlier run.
 * @param names the globals that the bundle gets as arguments, in this order.
 * @param cache folder of the code cache. @param most how often the cache is stored.
 */
export function compileBundle(
  path: string,
  names: readonly string[],
  cache: string,
  most: number,
): CompiledBundle {
  const present = compiled.get(path);
  if (present) return present;
  const source = `(function (${names.join(', ')}) {${readFileSync(path, 'utf8')}\n})`;
  const name = createHash('sha256').update(source).update(process.version).digest('hex');
  const file = join(cache, `${name}.function`);
  const cachedData = read(file);
  const script = new Script(source, { filename: path, ...(cachedData && { cachedData }), ...IMPORTS });
  let writes = cachedData && script.cachedDataRejected !== true ? 0 : most;
  const made: CompiledBundle = {
    run: script.runInThisContext() as CompiledBundleFunction,
    storeCache() {
      if (writes-- <= 0) return;
      mkdirSync(cache, { recursive: true });
      const whole = `${file}.${process.pid}.${threadId}`;
      writeFileSync(whole, script.createCachedData());
      renameSync(whole, file);
    },
  };
  compiled.set(path, made);
  return made;
}
