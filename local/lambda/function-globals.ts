import { AsyncLocalStorage } from 'node:async_hooks';
import { Console } from 'node:console';
import { Writable } from 'node:stream';

/** The globals that each function has for itself, although functions share threads. */
export interface FunctionGlobals {
  readonly process: NodeJS.Process;
  readonly console: Console;
  readonly globalThis: typeof globalThis;
}

/** Creates a stream that passes on complete lines. */
function lines(onLine: (line: string) => void): Writable {
  let rest = '';
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const [first = '', ...others] = String(chunk).split('\n');
      const whole = others.length > 0 ? [rest + first, ...others.slice(0, -1)] : [];
      rest = others.at(-1) ?? rest + first;
      for (const line of whole) onLine(line);
      done();
    },
  });
}

/**
 * Creates the globals of a function: a `process` with its environment and output, and a console.
 * @param globals further globals of its own.
 */
export function createFunctionGlobals(
  env: Readonly<Record<string, string>>,
  onLine: (line: string) => void,
  globals: Readonly<Record<string, unknown>>,
): FunctionGlobals {
  const [stdout, stderr] = [lines(onLine), lines(onLine)];
  const value = (of: unknown): PropertyDescriptor => ({ value: of, writable: true, enumerable: true });
  const own = Object.create(process, {
    env: value({ ...env }),
    stdout: value(stdout),
    stderr: value(stderr),
  }) as NodeJS.Process;
  const console = new Console({ stdout, stderr });
  return {
    process: own,
    console,
    globalThis: globalsWith({ process: own, console, ...globals }),
  };
}

/** Returns `globalThis` with some globals replaced. Assignments to it are visible only through it. */
function globalsWith(own: Readonly<Record<string, unknown>>): typeof globalThis {
  const kept = new Map<PropertyKey, unknown>(Object.entries(own));
  return new Proxy(globalThis, {
    get: (target, key) => (kept.has(key) ? kept.get(key) : Reflect.get(target, key)),
    has: (target, key) => kept.has(key) || Reflect.has(target, key),
    set: (_target, key, to) => {
      kept.set(key, to);
      return true;
    },
  });
}

const whoRuns = new AsyncLocalStorage<FunctionGlobals>();

/** Runs code of a function, so that shared code that it calls uses the function's globals. */
export const runWithGlobals = <T>(around: FunctionGlobals, work: () => T): T => whoRuns.run(around, work);

/** Returns globals for code that functions share: those of the function that runs at the time. */
export function currentFunctionGlobals(): FunctionGlobals {
  const ofWhoRuns = <Name extends 'process' | 'console'>(name: Name, none: FunctionGlobals[Name]) =>
    new Proxy(none, {
      get: (target, key) => Reflect.get(whoRuns.getStore()?.[name] ?? target, key),
      set: (target, key, to) => Reflect.set(whoRuns.getStore()?.[name] ?? target, key, to),
    }) as FunctionGlobals[Name];
  const shared = {
    process: ofWhoRuns('process', process),
    console: ofWhoRuns('console', console as Console),
  };
  return { ...shared, globalThis: globalsWith(shared) };
}
