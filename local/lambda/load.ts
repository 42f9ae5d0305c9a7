import { existsSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
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

/**
 * Loads a function from its bundle, a CommonJS file, anew each time. Code is compiled once in a thread; what the code keeps is of each
 * call's own.
 */
export function load(
  { handler, directory }: FunctionData,
  around: Surroundings,
  awslambda: unknown,
  cache: string,
): { readonly handler: Handler; keep(): void } {
  const dot = handler.lastIndexOf('.');
  const [file, name] = [handler.slice(0, dot), handler.slice(dot + 1)];
  const base = join(directory, file);
  const path = ['.js', '.cjs'].map((extension) => base + extension).find((each) => existsSync(each));
  if (path === undefined) throw new ImportModuleError(`Error: Cannot find module '${file}'`);
  const real = createRequire(path);
  const require = (id: string): unknown =>
    isBuiltin(id) && id.replace(/^node:/, '') === 'process' ? around.process : real(id);
  const module: { exports: Record<string, unknown> } = { exports: {} };
  const { bundle, keep } = compile(path, NAMES, cache);
  bundle(
    module.exports,
    Object.assign(require, real),
    module,
    path,
    dirname(path),
    around.process,
    around.console,
    around.globalThis,
    around.globalThis,
    awslambda,
  );
  const exported = module.exports[name];
  if (typeof exported !== 'function') throw new HandlerNotFound(`${handler} is undefined or not exported`);
  return { handler: exported as Handler, keep };
}
