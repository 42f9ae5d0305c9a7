import { existsSync, readFileSync } from 'node:fs';
import { createRequire, findPackageJSON, flushCompileCache, isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SHARED_CHUNK_PREFIX } from '../../shared/contract/resource-names.ts';
import { compileBundle } from './bundle-compiler.ts';
import { currentFunctionGlobals, type FunctionGlobals, runWithGlobals } from './function-globals.ts';
import type { FunctionData } from './thread-protocol.ts';

class ImportModuleError extends Error {
  override readonly name = 'Runtime.ImportModuleError';
}
class HandlerNotFound extends Error {
  override readonly name = 'Runtime.HandlerNotFound';
}

export type Handler = (event: unknown, context: Readonly<Record<string, unknown>>) => unknown;

const NAMES = [
  'exports',
  'require',
  'module',
  '__filename',
  '__dirname',
  'process',
  'console',
  'globalThis',
  'global',
  'awslambda',
] as const;

type Code = Pick<FunctionData, 'handler' | 'directory'>;

/** The file of a function; null where there is none. */
function fileOf({ handler, directory }: Code): string | null {
  const base = join(directory, handler.slice(0, handler.lastIndexOf('.')));
  return (
    ['.js', '.mjs', '.cjs'].map((extension) => base + extension).find((each) => existsSync(each)) ?? null
  );
}

const isModule = (path: string): boolean => path.endsWith('.mjs');
/** An ES module has what is around it from its thread: nothing can be put in its place. */
export const needsOwnThread = (code: Code): boolean => isModule(fileOf(code) ?? '');

/** What is around a function becomes what is around all of its thread. */
function moveIn({ env }: FunctionData, around: FunctionGlobals, awslambda: unknown): void {
  Object.assign(process.env, env);
  const { stdout, stderr } = around.process;
  Object.defineProperties(process, { stdout: { value: stdout }, stderr: { value: stderr } });
  Object.assign(globalThis, { console: around.console, awslambda });
}

function handlerOf(exported: unknown, { handler }: Code): Handler {
  if (typeof exported !== 'function') throw new HandlerNotFound(`${handler} is undefined or not exported`);
  return exported as Handler;
}

interface Loaded {
  readonly module: { exports: unknown };
  keep(): void;
}

/** Does Node take this file for CommonJS? */
function isCommonJs(file: string): boolean {
  if (!file.endsWith('.js')) return file.endsWith('.cjs');
  const manifest = findPackageJSON(pathToFileURL(file));
  const { type } = JSON.parse(manifest === undefined ? '{}' : readFileSync(manifest, 'utf8')) as {
    type?: string;
  };
  return type !== 'module';
}

/** How often what was compiled is kept for a function: once it is loaded, and once it was called. */
const KEPT = 2;

type Enter = (path: string) => Loaded;

/** What functions have alike is loaded once in a thread, by its name, which tells what is in it. */
const parts = new Map<string, Loaded>();
const ofWhoRuns = currentFunctionGlobals();

/** Loads CommonJS files, and what they require that is in no bundle, into the same surroundings; what functions have alike into those of whoever runs. */
function within(around: FunctionGlobals, awslambda: unknown, cache: string): Enter {
  const loaded = new Map<string, Loaded>();
  const enter: Enter = (path) => {
    const name = basename(path);
    const isPart = name.startsWith(SHARED_CHUNK_PREFIX);
    const [kept, key, surroundings] = isPart ? [parts, name, ofWhoRuns] : [loaded, path, around];
    const present = kept.get(key);
    if (present) return present;
    const real = createRequire(path);
    const require = (id: string): unknown => {
      if (isBuiltin(id)) return id.replace(/^node:/, '') === 'process' ? surroundings.process : real(id);
      const file = real.resolve(id);
      return isCommonJs(file) ? enter(file).module.exports : real(id);
    };
    // Each function has more of a part compiled.
    const { bundle, storeCache: keep } = compileBundle(
      path,
      NAMES,
      cache,
      isPart ? Number.POSITIVE_INFINITY : KEPT,
    );
    const module = { exports: {} };
    // Before it runs: files may require each other.
    kept.set(key, { module, keep });
    try {
      bundle(
        module.exports,
        Object.assign(require, { resolve: real.resolve }),
        module,
        path,
        dirname(path),
        surroundings.process,
        surroundings.console,
        surroundings.globalThis,
        surroundings.globalThis,
        isPart ? undefined : awslambda,
      );
    } catch (error) {
      kept.delete(key);
      throw error;
    }
    return { module, keep };
  };
  return enter;
}

/**
 * Loads a function from its bundle: a CommonJS file anew each time, so that what the code keeps is of each call's own, although it is
 * compiled once in a thread; an ES module once, in a thread of its own.
 */
export function loadFunction(
  data: FunctionData,
  around: FunctionGlobals,
  awslambda: unknown,
  cache: string,
): { readonly handler: Handler; keep(): void } {
  const path = fileOf(data);
  if (path === null) throw new ImportModuleError(`Error: Cannot find module for '${data.handler}'`);
  const name = data.handler.slice(data.handler.lastIndexOf('.') + 1);
  if (isModule(path)) {
    moveIn(data, around, awslambda);
    const exports: Readonly<Record<string, unknown>> = createRequire(path)(path);
    return { handler: handlerOf(exports[name], data), keep: flushCompileCache };
  }
  const { module, keep } = runWithGlobals(around, () => within(around, awslambda, cache)(path));
  let left = KEPT;
  return {
    handler: handlerOf((module.exports as Readonly<Record<string, unknown>>)[name], data),
    keep() {
      if (left-- > 0) for (const each of [{ keep }, ...parts.values()]) each.keep();
    },
  };
}
