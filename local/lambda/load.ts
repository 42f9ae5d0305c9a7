import { existsSync, readFileSync } from 'node:fs';
import { createRequire, findPackageJSON, flushCompileCache, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile } from './compiled.ts';
import type { FunctionData } from './protocol.ts';
import type { Surroundings } from './surroundings.ts';

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
export const isAlone = (code: Code): boolean => isModule(fileOf(code) ?? '');

/** What is around a function becomes what is around all of its thread. */
function moveIn({ env }: FunctionData, around: Surroundings, awslambda: unknown): void {
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

/** Loads CommonJS files, and what they require that is in no bundle, into the same surroundings. */
function within(around: Surroundings, awslambda: unknown, cache: string): (path: string) => Loaded {
  const loaded = new Map<string, Loaded>();
  const enter = (path: string): Loaded => {
    const present = loaded.get(path);
    if (present) return present;
    const real = createRequire(path);
    const require = (id: string): unknown => {
      if (isBuiltin(id)) return id.replace(/^node:/, '') === 'process' ? around.process : real(id);
      const file = real.resolve(id);
      return isCommonJs(file) ? enter(file).module.exports : real(id);
    };
    const { bundle, keep } = compile(path, NAMES, cache);
    const module = { exports: {} };
    // Before it runs: files may require each other.
    loaded.set(path, { module, keep });
    bundle(
      module.exports,
      Object.assign(require, { resolve: real.resolve }),
      module,
      path,
      dirname(path),
      around.process,
      around.console,
      around.globalThis,
      around.globalThis,
      awslambda,
    );
    return { module, keep };
  };
  return enter;
}

/**
 * Loads a function from its bundle: a CommonJS file anew each time, so that what the code keeps is of each call's own, although it is
 * compiled once in a thread; an ES module once, in a thread of its own.
 */
export function load(
  data: FunctionData,
  around: Surroundings,
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
  const { module, keep } = within(around, awslambda, cache)(path);
  return { handler: handlerOf((module.exports as Readonly<Record<string, unknown>>)[name], data), keep };
}
