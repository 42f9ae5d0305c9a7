import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, Script } from 'node:vm';
import { threadId } from 'node:worker_threads';

/** How a bundle finds what it imports while it runs: as the program itself does. */
const IMPORTS = { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };

/**
 * Node says once of each thread, at the first import of a script, that this way is new; what is printed here is a function's, or a fault.
 * So the first import is one of our own, and nobody is told of it.
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

/** A bundle as a function of what is around it. */
export type BundleFunction = (...around: readonly unknown[]) => void;

interface CompiledBundle {
  readonly bundle: BundleFunction;
  /** Keeps what has been compiled by now, as often as is worth it, and never where something was there. */
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
 * Compiles a bundle, once in a thread, with what an earlier run has kept.
 * @param names what the bundle gets in place of what is global, in the order of its arguments.
 * @param cache folder of what is kept. @param most how often it is kept.
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
    bundle: script.runInThisContext() as BundleFunction,
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
