import { existsSync, readFileSync } from 'node:fs';
import { createRequire, findPackageJSON, flushCompileCache, isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SHARED_BUNDLE_CHUNK_FILE_PREFIX } from '../../shared/contract/resource-names.ts';
import { compileBundle } from './bundle-compiler.ts';
import { currentFunctionGlobals, type FunctionGlobals, runWithGlobals } from './function-globals.ts';
import type { FunctionInstanceSettings } from './thread-protocol.ts';

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

type Code = Pick<FunctionInstanceSettings, 'handler' | 'directory'>;

/** Returns the file of a function, or null if it does not exist. */
function fileOf({ handler, directory }: Code): string | null {
  const base = join(directory, handler.slice(0, handler.lastIndexOf('.')));
  return (
    ['.js', '.mjs', '.cjs'].map((extension) => base + extension).find((each) => existsSync(each)) ?? null
  );
}

const isModule = (path: string): boolean => path.endsWith('.mjs');
/** An ES module uses the globals of its thread, which cannot be replaced, so it cannot share the thread. */
export const needsOwnThread = (code: Code): boolean => isModule(fileOf(code) ?? '');

/** Makes the globals of a function those of its thread. */
function moveIn({ env }: FunctionInstanceSettings, around: FunctionGlobals, awslambda: unknown): void {
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

/** Returns true if Node treats this file as CommonJS. */
function isCommonJs(file: string): boolean {
  if (!file.endsWith('.js')) return file.endsWith('.cjs');
  const manifest = findPackageJSON(pathToFileURL(file));
  const { type } = JSON.parse(manifest === undefined ? '{}' : readFileSync(manifest, 'utf8')) as {
    type?: string;
  };
  return type !== 'module';
}

/** How often the compiled code of a function is stored: after it was loaded, and after its first call. */
const KEPT = 2;

type Enter = (path: string) => Loaded;

/** Chunks that functions share, by name, which has a hash of the content. They are loaded once per thread. */
const parts = new Map<string, Loaded>();
const ofWhoRuns = currentFunctionGlobals();

/**
 * Creates the loader of CommonJS files with these globals. Shared chunks get the globals of the function that
 * runs at the time.
 */
function within(around: FunctionGlobals, awslambda: unknown, cache: string): Enter {
  const loaded = new Map<string, Loaded>();
  const enter: Enter = (path) => {
    const name = basename(path);
    const isPart = name.startsWith(SHARED_BUNDLE_CHUNK_FILE_PREFIX);
    const [kept, key, surroundings] = isPart ? [parts, name, ofWhoRuns] : [loaded, path, around];
    const present = kept.get(key);
    if (present) return present;
    const real = createRequire(path);
    const require = (id: string): unknown => {
      if (isBuiltin(id)) return id.replace(/^node:/, '') === 'process' ? surroundings.process : real(id);
      const file = real.resolve(id);
      return isCommonJs(file) ? enter(file).module.exports : real(id);
    };
    // Each function compiles more functions of a shared chunk.
    const { run: bundle, storeCache: keep } = compileBundle(
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
 * Loads a function from its bundle. A CommonJS file is compiled once per thread and evaluated for each
 * instance, so that each has its own module state; an ES module is loaded once, in its own thread.
 */
export function loadFunction(
  data: FunctionInstanceSettings,
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
